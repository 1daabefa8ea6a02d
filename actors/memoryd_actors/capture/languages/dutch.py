"""Dutch."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_DIT = r"(?:dit|dat|deze|het|dit alles|dat alles|wat ik (?:net )?(?:zei|heb gezegd))"
_WHEN = (
    r"(?: (?:alsjeblieft|alstublieft|aub|even|ook|altijd|goed|voor (?:later|de toekomst|de volgende keer|altijd"
    r"|alle projecten)|in het vervolg|vanaf nu|overal|in alle (?:mijn |onze )?projecten|bedankt|dank je),?)*"
)
_REMEMBER = (
    r"(?:onthoudt?|onthou|onthouden|(?:hou|houd|houden) er rekening mee|(?:hou|houd|houden) in (?:gedachten"
    r"|je achterhoofd)|vergeet (?:alsjeblieft |aub )?(?:niet|nooit)|noteer|schrijf op)"
)
_FROM_NOW_ON = "vanaf nu|voortaan|van nu af aan|in het vervolg|in de toekomst"
_ALWAYS = rf"altijd(?! (?:nog|al|maar)\b)|nooit|steeds|{_FROM_NOW_ON}"
_REQUESTS = Requests(
    lead=r"ok|oké|okay|hé|hoi|hallo|en|dus|nou|dan|bedankt|dank je|dankjewel|top|perfect|mooi|ja|nee|goed|trouwens"
    r"|overigens|belangrijk|ook|eigenlijk|fout|klopt niet|dat klopt niet|nog iets",
    please=r"(?:alsjeblieft,? |alstublieft,? |aub,? |(?:kun|kan|wil|zou) (?:je|jij|u) (?:alsjeblieft |ook )?(?:willen )?"
    r"|ik wil(?: graag)?,? dat je |(?:je|u) (?:moet|zou moeten) )?",
    asks=r"(?:kun|kan|wil|zou) (?:je|jij|u) ",
    after=(
        rf"{_REMEMBER}{_WHEN},? dat (?=\S+ \S)",
        rf"(?:{_REMEMBER}|onthoud|bewaar|sla op|let op){_WHEN}(?: (?:dit|dat|het volgende|deze \w+))?{_WHEN} ?:(?!//)",
    ),
    points=(
        rf"(?:onthou|onthoudt?|noteer|bewaar){_WHEN} {_DIT}",
        rf"{_DIT}{_WHEN} (?:onthouden|bewaren|opslaan|noteren)",
        rf"sla {_DIT}{_WHEN} op(?: in (?:je |het )?geheugen)?",
        rf"(?:hou|houd|houden) {_DIT}{_WHEN} in (?:gedachten|je achterhoofd)",
        r"(?:hou|houd) (?:hier|daar) rekening mee",
        rf"vergeet {_DIT}{_WHEN} (?:niet|nooit)",
        rf"schrijf {_DIT} op",
    ),
    tail=_WHEN,
    joins=r"(?:[,;\u2013\u2014-]|\ben)",
    urges=r"alsjeblieft|alstublieft|aub|voor (?:later|de toekomst|de volgende keer|mij|me)",
    refers="dit|dat|het|ze|hij|zij|deze",
    stems=(
        "onthou",
        "noteer",
        "noteren",
        "vergeet",
        "gedacht",
        "achterhoofd",
        "bewa",
        "sla ",
        "opslaan",
        "schrijf",
        "rekening",
        "let op",
    ),
)
_INSTRUCTIONS = Instructions(
    verbs="""antwoord antwoordt antwoorden gebruik gebruikt gebruiken schrijf schrijven formatteer formatteren noem
        noemen geef geven toon tonen laat vraag vragen controleer controleren test testen voeg voeren voer push pushen
        commit committen verwijder verwijderen wijzig wijzigen leg vertaal vertalen rond draai draaien installeer
        installeren importeer vermijd vermijden documenteer documenteren spreek praat maak zet houd hou""",
    forms=(
        rf"(?:alsjeblieft,? )?(?:{_ALWAYS})\b[\s,:]*(?:alsjeblieft |altijd |nooit |alleen |ook )*VERB",
        rf"(?:alsjeblieft,? )?(?:{_ALWAYS}) (?:[^\s.!?,;:]+ ){{1,6}}VERB(?=[\s.!]*(?:,|\Z))",
        rf"(?:alsjeblieft,? )?VERB (?:alsjeblieft )?(?:[^\s.!?,;:]+ ){{0,4}}(?:{_ALWAYS})\b",
    ),
    idle="dit dat het hem haar ze zo weer meer nog hier nu mij me ons nee ja nooit altijd",
)
_WORDINGS = Wordings(
    corrects="nee|fout|dat klopt niet|klopt niet|eigenlijk|correctie",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:alsjeblieft,? )?(?:altijd|nooit)\b",
        r"(?:je|jij|u)\b.{0,60}?\b(?:moet|mag niet|altijd|nooit)\b",
    ),
    prefers=r"(?:ik|wij|we) (?:prefereer|prefereren|verkies|verkiezen|haat|haten|wil|willen|hou van|houden van)\b"
    r"|(?:ik|wij|we) (?:.{1,80} )?(?:liever|prefereer|verkies)\b|mijn voorkeur",
    everywhere="(?:in|voor) al(?:le)? (?:mijn |onze |de )?projecten",
    everywhere_asked="overal|globaal",
)
DUTCH = Language("nl", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
