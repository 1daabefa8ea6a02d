"""Adjectives that exclude each other: what is the one is not the other, though it may be neither."""

from collections.abc import Mapping
from typing import Final

_PAIRS: Final = """
    able/unable acceptable/unacceptable accessible/inaccessible accurate/inaccurate active/inactive
    adequate/inadequate afraid/unafraid alike/unlike alive/dead allowed/forbidden alone/accompanied
    ambiguous/unambiguous anonymous/identified answered/unanswered appropriate/inappropriate armed/unarmed
    asleep/awake attractive/unattractive audible/inaudible authorized/unauthorized available/unavailable
    aware/unaware bearable/unbearable believable/unbelievable biased/unbiased blocked/unblocked brave/cowardly
    busy/idle cached/uncached calm/agitated calm/nervous capable/incapable careful/careless certain/uncertain
    changed/unchanged cheap/costly cheap/expensive clean/dirty clear/unclear coherent/incoherent
    comfortable/uncomfortable common/rare common/uncommon compatible/incompatible competent/incompetent
    complete/incomplete conclusive/inconclusive connected/disconnected conscious/unconscious consistent/inconsistent
    constitutional/unconstitutional controllable/uncontrollable convenient/inconvenient conventional/unconventional
    convinced/unconvinced cool/uncool cooperative/uncooperative correct/incorrect correct/wrong crucial/noncrucial
    cruel/kind damaged/undamaged dangerous/harmless dangerous/safe decent/indecent decided/undecided
    decisive/indecisive defined/undefined dependent/independent deployed/undeployed desirable/undesirable
    deterministic/nondeterministic different/identical different/same difficult/easy direct/indirect dirty/spotless
    discreet/indiscreet distinct/indistinct divisible/indivisible documented/undocumented dry/wet early/late
    easy/hard edible/inedible effective/ineffective efficient/inefficient elegant/inelegant eligible/ineligible
    employed/unemployed empty/full enabled/disabled encrypted/unencrypted equal/unequal essential/inessential
    ethical/unethical evident/obscure exact/inexact excusable/inexcusable expected/unexpected
    expensive/inexpensive experienced/inexperienced explicit/implicit fair/foul fair/unfair faithful/unfaithful
    familiar/unfamiliar far/near fashionable/unfashionable fast/slow fathomable/unfathomable favorable/unfavorable
    feasible/infeasible fertile/infertile fictional/nonfictional fine/ill finished/unfinished finite/infinite
    fit/unfit flexible/inflexible forgivable/unforgivable formal/informal fortunate/unfortunate frequent/infrequent
    fresh/stale friendly/unfriendly functional/dysfunctional funny/unfunny good/awful good/bad good/evil
    good/terrible grateful/ungrateful great/awful great/terrible guilty/innocent happy/sad happy/unhappy
    harmed/unharmed harmful/harmless healthy/ill healthy/sick healthy/unhealthy healthy/unwell heavy/weightless
    helpful/unhelpful hidden/visible high/low honest/dishonest hot/cold hungry/full hurt/unhurt hygienic/unhygienic
    imaginable/unimaginable important/insignificant important/trivial important/unimportant impressed/unimpressed
    included/excluded inhabited/uninhabited initialized/uninitialized injured/uninjured innocent/culpable
    insured/uninsured intelligent/stupid intelligent/unintelligent intentional/unintentional interested/uninterested
    interesting/boring interesting/uninteresting invited/uninvited involved/uninvolved just/unjust
    justified/unjustified kind/unkind known/unknown lawful/unlawful legal/illegal legible/illegible
    legitimate/illegitimate licensed/unlicensed likely/improbable likely/unlikely limited/unlimited lit/unlit
    literate/illiterate locked/unlocked logical/illogical loud/quiet loyal/disloyal lucky/unlucky
    maintained/unmaintained major/minor manageable/unmanageable married/single married/unmarried mature/immature
    merged/unmerged mobile/immobile modern/outdated moral/immoral mortal/immortal mounted/unmounted
    movable/immovable mutable/immutable natural/artificial natural/unnatural near/distant necessary/optional
    necessary/unnecessary nice/nasty noisy/silent normal/abnormal normal/paranormal noticed/unnoticed
    nullable/required obedient/disobedient objective/subjective occupied/vacant official/unofficial okay/ill
    open/closed open/shut optimistic/pessimistic ordered/unordered ordinary/extraordinary organized/disorganized
    orthodox/unorthodox paid/unpaid palatable/unpalatable patient/impatient penetrable/impenetrable
    perceptible/imperceptible perfect/imperfect permanent/temporary permissible/impermissible permitted/prohibited
    personal/impersonal planned/unplanned plausible/implausible pleasant/unpleasant polite/impolite polite/rude
    political/apolitical popular/unpopular portable/unportable positive/negative possible/impossible
    powerful/powerless practical/impractical precise/imprecise predictable/unpredictable prepared/unprepared
    present/absent probable/improbable productive/unproductive profitable/unprofitable proper/improper
    proud/ashamed public/private punctual/late pure/impure qualified/unqualified rational/irrational raw/cooked
    reachable/unreachable readable/unreadable ready/unready real/fake real/imaginary real/unreal
    realistic/unrealistic reasonable/unreasonable recognized/unrecognized registered/unregistered regular/irregular
    related/unrelated released/unreleased relevant/irrelevant reliable/unreliable remarkable/unremarkable
    replaceable/irreplaceable representative/unrepresentative required/optional resolved/unresolved
    restrained/unrestrained reversible/irreversible rich/poor right/incorrect right/wrong romantic/unromantic
    rotten/fresh rough/smooth safe/unsafe sane/crazy sane/insane satisfactory/unsatisfactory satisfied/dissatisfied
    satisfied/unsatisfied scared/unafraid scientific/unscientific scrupulous/unscrupulous secure/insecure
    seemly/unseemly selfish/unselfish sensible/foolish sensitive/insensitive separable/inseparable serious/trivial
    shallow/deep sharp/blunt sharp/dull shy/bold signed/unsigned significant/insignificant silly/sensible
    similar/dissimilar simple/complex simple/complicated sincere/insincere single/multiple skilled/unskilled
    sober/drunk sociable/unsociable soft/hard solid/liquid solved/unsolved sorted/unsorted sound/unsound
    stable/unstable steady/unsteady straight/crooked stressful/relaxing strong/weak stupid/clever stupid/smart
    successful/unsuccessful sufficient/insufficient suitable/unsuitable supported/unsupported sure/uncertain
    sure/unsure surprising/unsurprising sympathetic/unsympathetic synchronous/asynchronous tall/short tame/wild
    terrific/terrible tested/untested thick/thin tidy/untidy tight/loose tired/rested tolerable/intolerable
    tolerant/intolerant touched/untouched traditional/untraditional transparent/opaque troubled/untroubled
    true/false true/untrue true/untruthful trustworthy/untrustworthy truthful/untruthful typical/atypical
    unanimous/divided usable/unusable used/unused useful/useless usual/strange usual/unusual valid/invalid
    valuable/worthless variable/constant verbal/nonverbal verified/unverified vertical/horizontal violent/nonviolent
    visible/invisible voluntary/involuntary wanted/unwanted warm/cold welcome/unwelcome well/ill well/sick
    well/unwell wholesome/unwholesome wide/narrow willing/unwilling wise/unwise worried/unworried worthy/unworthy
    young/old
    """
"""What is the one is never the other, of whatever it is said: new and old or good and poor are not here, as of a person
they say other things. Many leave a middle: the short are not tall, who is not tall may not be short."""


_VERBS: Final = """
    accept/decline accept/refuse accept/reject agree/disagree allow/forbid allow/prohibit approve/disapprove
    approve/reject believe/disbelieve encourage/discourage have/lack include/exclude like/dislike like/hate
    love/hate love/dislike obey/disobey pass/fail permit/forbid permit/prohibit qualify/disqualify
    respect/disrespect succeed/fail trust/distrust trust/mistrust win/lose
    """
"""Who does the one does not do the other."""


def _by_word(pairs: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in (pair.split("/") for pair in pairs.split()):
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


EXCLUDED: Final = _by_word(_PAIRS)
"""Each adjective with those that it excludes."""
UNDONE: Final = _by_word(_VERBS)
"""Each verb with those that exclude it, as they stand in a dictionary."""
