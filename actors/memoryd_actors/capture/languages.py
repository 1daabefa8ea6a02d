"""How people ask to have something remembered: English, German, French, Spanish, Italian.

Every pattern is matched against the beginning of a sentence, after what may stand before a request. That, and no list
of exceptions, is what keeps `I couldn't remember`, `don't save this` and `do you remember` out: they begin otherwise.
"""

from dataclasses import dataclass

_THIS = r"(?:this|that|it|these|those|all (?:of )?(?:this|that)|what i(?:'ve| have)? (?:just )?(?:said|told you))"
_MEMORY = r"(?: (?:to|in|into) (?:your |the |long[- ]term )?memory| as a memory)"
_WHEN_EN = (
    r"(?: (?:for (?:later|next time|good|me|the (?:future|next (?:time|session|conversation))|future (?:sessions?"
    r"|reference|"
    r"conversations?|chats?|use))|from now on|in (?:the )?future|everywhere|globally|always|please|too|also|as well"
    r"|forever|(?:in|for|across) all (?:of )?(?:my |our |the )?projects|for this project|in mind|then|ok|okay|thanks"
    r"|thank you),?)*"
)
_NO_TIME = r"(?!(?:time|day|night|one|year|summer|guy|song|movie|film|moment|thing|feeling|morning|evening|trip)\b)"
_PRESENT = (
    r"(?:is|are|am|has|have|uses?|prefers?|likes?|loves?|hates?|wants?|needs?|must|should|shall|deploys?|lives?|works?"
    r"|runs?|starts?|means?|belongs?|expires?|goes|go|always|never|only|can|cannot|can't|don't|doesn't|isn't|aren't|i'm"
    r"|we're|it's)"
)


@dataclass(frozen=True, slots=True)
class Language:
    """The requests of one language; regular expressions without their anchors, spaces standing for any white space."""

    lead: str
    """Words that may stand before a request, one of them."""
    please: str
    """How a request is made polite, or into a question."""
    asks: str
    """Of those, the ones that make it a question in form only."""
    after: tuple[str, ...]
    """Requests that what is to be remembered follows."""
    points: tuple[str, ...]
    """Requests that point to it; complete but for what `tail` allows."""
    tail: str
    """What may follow a request that points."""
    joins: str
    """What may stand between a statement and the request that ends its sentence."""
    urges: str
    """What makes a question that points a request: `could you remember this, please?`"""
    stems: tuple[str, ...]
    """One of these is in every request, in lower case. Looking for them first takes a tenth of the time."""


ENGLISH = Language(
    lead=r"ok|okay|oh|hey|hi|hello|also|and|so|now|then|great|thanks|thank you|perfect|cool|good|yes|yeah|no|nope"
    r"|actually"
    r"|wrong|well|right|btw|by the way|fyi|important|one more thing|claude|assistant|that's wrong|that is wrong"
    r"|not quite",
    please=r"(?:(?:can|could|would|will) you (?:please )?(?:also )?(?:always )?|please,? (?:also )?(?:always )?|always "
    r"|i(?:'d| would) like you to |i (?:want|need) you to |you (?:should|must|have to|need to) |make sure (?:to|you) "
    r"|let's |be sure to )?",
    asks=r"(?:can|could|would|will) you ",
    after=(
        rf"(?:remember|memori[sz]e|keep in mind|bear in mind|make a (?:mental )?note|take (?:a )?note"
        rf"|don't (?:ever )?forget"
        rf"|do not (?:ever )?forget|never forget){_WHEN_EN} (?:the fact )?that {_NO_TIME}(?=\S+ \S)",
        rf"(?:remember|memori[sz]e|keep in mind|bear in mind|make a (?:mental )?note(?: of)?|take (?:a )?note(?: of)?"
        rf"|don't forget|do not forget|save|store|note)(?: to memory)?{_WHEN_EN}"
        rf"(?: (?:this|these|the following|that)(?: \w+){{0,3}})?{_WHEN_EN}{_MEMORY}?{_WHEN_EN} ?:(?!//)",
        rf"(?:save|store|add){_MEMORY}(?: that|,| ?:) (?=\S+ \S)",
        rf"remember{_WHEN_EN},? (?:to )?(?=(?:always|never|from now on)\b)",
        rf"remember{_WHEN_EN} (?=(?:i|i'm|we|we're|my|our) (?:.{{1,80}}? )?{_PRESENT}\b)",
        r"(?:for (?:future reference|the record|next time"
        r"|the future)),? (?:please )?remember(?: that)? (?=\S+ \S+ \S)",
    ),
    points=(
        rf"(?:remember|memori[sz]e){_WHEN_EN} {_THIS}",
        rf"(?:save|store|keep|add|put|commit) {_THIS}{_MEMORY}",
        rf"(?:save|store) {_THIS}",
        rf"keep {_THIS} in mind|bear {_THIS} in mind|keep in mind|make a (?:mental )?note of {_THIS}",
        rf"(?:don't|do not|never) forget {_THIS}",
    ),
    tail=_WHEN_EN,
    joins=r"(?:[,;\u2013\u2014-]|\band|\bso|\bplease)",
    urges=r"please|for (?:later|next time|the future|me)",
    stems=("rememb", "memori", "mind", "forget", "note ", "note:", "save", "store", "memory"),
)

_DAS = r"(?:das|dies|dieses|es|das alles|all das)"
_WHEN_DE = (
    r"(?: (?:bitte|mal|doch|auch|immer|künftig|in zukunft|für (?:später|die zukunft|das nächste mal|alle projekte"
    r"|immer)"
    r"|überall|global|in allen (?:meinen |unseren )?projekten|ab jetzt|von nun an|gut|danke|also|ok),?)*"
)
_KOPF = r"im (?:kopf|hinterkopf|gedächtnis|auge)"
GERMAN = Language(
    lead=r"ok|okay|ach|also|und|so|nun|dann|super|danke|perfekt|ja|nein|gut|übrigens|wichtig|hallo|hey|doch|falsch"
    r"|stimmt nicht|noch etwas|noch was|eigentlich",
    please=r"(?:bitte |(?:kannst|könntest|würdest) du (?:bitte )?|ich möchte,? dass du |ich will,? dass du "
    r"|du (?:sollst|"
    r"musst|solltest) )?",
    asks=r"(?:kannst|könntest|würdest) du ",
    after=(
        rf"(?:merke? (?:dir|euch)|merken sie sich|notiere? dir|schreibe? dir auf|denke? (?:bitte )?(?:immer |künftig "
        rf"|in "
        rf"zukunft )?(?:daran|dran)|vergiss (?:bitte )?(?:nie|nicht|niemals)|vergessen sie (?:bitte )?nicht"
        rf"|behalte? (?:bitte )?"
        rf"{_KOPF}|halte? (?:bitte )?fest){_WHEN_DE},? dass (?=\S+ \S)",
        rf"(?:merke? (?:dir|euch)|merken sie sich|merken|notiere? dir|schreibe? dir auf|denke? (?:daran|dran)"
        rf"|speichere?"
        rf"|vergiss nicht|halte? fest){_WHEN_DE}(?: (?:folgendes|das|dies"
        rf"|diese\w?)(?: \w+){{0,2}})?{_WHEN_DE} ?:(?!//)",
        rf"dir{_WHEN_DE} (?:zu )?(?:merk(?:en|st)|notier(?:en|st)),? dass (?=\S+ \S)",
    ),
    points=(
        rf"merke? (?:dir|euch){_WHEN_DE} {_DAS}",
        rf"merke? dir's|merken sie sich{_WHEN_DE} {_DAS}",
        rf"dir{_WHEN_DE} {_DAS}{_WHEN_DE} merk(?:en|st)",
        rf"(?:{_DAS} )?merken",
        rf"behalte? {_DAS}{_WHEN_DE} {_KOPF}",
        rf"(?:speichere?|notiere?)(?: dir)? {_DAS}(?: ab)?",
        rf"vergiss {_DAS}{_WHEN_DE} (?:nicht|nie)",
        r"denke? (?:immer |künftig )?(?:daran|dran)",
    ),
    tail=_WHEN_DE,
    joins=r"(?:[,;\u2013\u2014-]|\bund)",
    urges=r"bitte|für (?:später|die zukunft|das nächste mal|mich)",
    stems=("merk", "notier", "schreib", "speicher", "denk", "vergiss", "vergess", "behalt", "halt"),
)

_CELA = r"(?:ceci|cela|ça|tout (?:ceci|cela|ça)|ce que je (?:viens de dire|t'ai dit))"
_WHEN_FR = (
    r"(?: (?:bien|s'il te plaît|s'il vous plaît|stp|svp|aussi|toujours|désormais|à l'avenir|pour (?:plus tard|la suite|"
    r"la prochaine fois|l'avenir|tous (?:mes|les|nos) projets)|partout|dans tous (?:mes|les|nos) projets|merci),?)*"
)
FRENCH = Language(
    lead=r"ok|okay|oh|alors|et|donc|bon|merci|parfait|oui|non|bien|au fait|important|salut|bonjour|en fait|faux"
    r"|c'est faux",
    please=r"(?:s'il te plaît,? |s'il vous plaît,? |stp,? |(?:peux|pourrais)[- ]tu (?:te )?|(?:pouvez"
    r"|pourriez)[- ]vous "
    r"(?:vous )?|(?:je veux|j'aimerais|je voudrais) que tu (?:te )?|tu dois (?:te )?)?",
    asks=r"(?:(?:peux|pourrais)[- ]tu|(?:pouvez|pourriez)[- ]vous) ",
    after=(
        rf"(?:souviens[- ]toi|souvenez[- ]vous|souvenir|rappelle[- ]toi|rappelez[- ]vous|retiens|retenez|retenir"
        rf"|retiennes"
        rf"|mémorise[rz]?|garde[rz]? (?:bien )?(?:à l'esprit|en tête|en mémoire)|n'oublie[z]? (?:pas|jamais)"
        rf"|note[rz]? bien"
        rf"|note[rz]? pour (?:plus tard|la suite|l'avenir)){_WHEN_FR} (?:du fait )?qu(?:e |')(?=\S+ \S)",
        rf"(?:souviens[- ]toi|souvenez[- ]vous|rappelle[- ]toi|retiens|retenez|retenir|mémorise[rz]?|enregistre[rz]?"
        rf"|note[rz]?"
        rf"|garde[rz]? (?:à l'esprit|en tête|en mémoire)|n'oublie[z]? pas){_WHEN_FR}(?: de)?(?: (?:ceci|cela|ça"
        rf"|ce qui suit))?"
        rf"{_WHEN_FR} ?:(?!//)",
    ),
    points=(
        rf"(?:souviens[- ]toi(?:[- ]en)?|souvenez[- ]vous|rappelle[- ]toi|souvenir)(?: de)?{_WHEN_FR} {_CELA}",
        r"souviens[- ]t'en|souvenez[- ]vous[- ]en",
        rf"(?:retiens|retenez|retenir|mémorise[rz]?){_WHEN_FR} {_CELA}",
        rf"(?:garde[rz]?|gardez) {_CELA} (?:à l'esprit|en tête|en mémoire)",
        rf"(?:enregistre[rz]?|note[rz]?) {_CELA}(?: en mémoire)?",
        rf"n'oublie[z]? pas {_CELA}",
    ),
    tail=_WHEN_FR,
    joins=r"(?:[,;\u2013\u2014-]|\bet)",
    urges=r"s'il (?:te|vous) plaît|stp|svp|pour (?:plus tard|la suite|la prochaine fois|moi)",
    stems=("souv", "rappel", "retien", "reten", "mémori", "garde", "oubli", "enregistr", "note"),
)

_ESTO = r"(?:esto|eso|todo (?:esto|eso)|lo que (?:te )?(?:he dicho|dije))"
_WHEN_ES = (
    r"(?: (?:por favor|también|siempre|bien|para (?:luego|después|más tarde|la próxima(?: vez)?|el futuro"
    r"|todos (?:mis|los|"
    r"nuestros) proyectos)|a partir de ahora|de ahora en adelante|en todas partes|en todos (?:mis|los"
    r"|nuestros) proyectos"
    r"|gracias),?)*"
)
SPANISH = Language(
    lead=r"ok|okay|oye|vale|y|bueno|gracias|perfecto|sí|no|bien|por cierto|importante|hola|entonces|además|en realidad"
    r"|incorrecto",
    please=r"(?:por favor,? |¿?(?:puedes|podrías) |(?:quiero|me gustaría) que |debes |tienes que )?",
    asks=r"¿?(?:puedes|podrías) ",
    after=(
        rf"(?:recuerda|recuerde|recordar|recuerdes|acuérdate de|acordarte de|ten (?:presente|en mente|en cuenta)|tener "
        rf"(?:presente|en cuenta)|no olvides|no te olvides de|memoriza|anota|apunta){_WHEN_ES} que (?=\S+ \S)",
        rf"(?:recuerda|recuerde|recordar|ten (?:presente|en mente|en cuenta)|no olvides|memoriza|anota|apunta|guarda)"
        rf"{_WHEN_ES}(?: (?:esto|lo siguiente|eso))?{_WHEN_ES} ?:(?!//)",
    ),
    points=(
        rf"(?:recuerda|recuerde|recordar|memoriza|anota|apunta){_WHEN_ES} {_ESTO}",
        r"recuérdalo|tenlo (?:presente|en cuenta|en mente)|memorízalo|anótalo|no lo olvides|recordarlo",
        rf"guarda {_ESTO}(?: en (?:tu |la )?memoria)?",
        rf"(?:ten|tener) {_ESTO} (?:presente|en cuenta|en mente)",
        rf"no olvides {_ESTO}",
    ),
    tail=_WHEN_ES,
    joins=r"(?:[,;\u2013\u2014-]|\by)",
    urges=r"por favor|para (?:luego|después|más tarde|la próxima|el futuro)",
    stems=(
        "recuerd",
        "recuérd",
        "record",
        "acuérd",
        "acord",
        "presente",
        "mente",
        "cuenta",
        "olvid",
        "memori",
        "anot",
        "anót",
        "apunt",
        "guarda",
    ),
)

_QUESTO = r"(?:questo|quello|ciò|tutto (?:questo|ciò)|quello che (?:ti )?ho detto)"
_WHEN_IT = (
    r"(?: (?:per favore|anche|sempre|bene|per (?:dopo|il futuro|la prossima volta|tutti (?:i miei |i nostri "
    r"|i )?progetti)"
    r"|d'ora in poi|in futuro|ovunque|in tutti (?:i miei |i nostri |i )?progetti|grazie),?)*"
)
ITALIAN = Language(
    lead=r"ok|okay|oh|e|allora|bene|grazie|perfetto|sì|no|a proposito|importante|ciao|poi|inoltre|in realtà|sbagliato",
    please=r"(?:per favore,? |(?:puoi|potresti) |(?:voglio|vorrei) che tu (?:ti )?|devi )?",
    asks=r"(?:puoi|potresti) ",
    after=(
        rf"(?:ricorda(?:ti)?|ricordarti|ricordare|ricordi|si ricordi|tieni (?:a mente|presente)|tenere (?:a mente"
        rf"|presente)"
        rf"|non (?:ti )?dimenticare|memorizza|annota(?:ti)?|segnati|appuntati){_WHEN_IT} che (?=\S+ \S)",
        rf"(?:ricorda(?:ti)?|ricordarti|ricordare|tieni (?:a mente|presente)|non dimenticare|memorizza|annota(?:ti)?"
        rf"|segnati"
        rf"|salva){_WHEN_IT}(?: (?:questo|quanto segue))?{_WHEN_IT} ?:(?!//)",
    ),
    points=(
        rf"(?:ricorda(?:ti)?|ricordarti|ricordare|memorizza|annota(?:ti)?|segnati)(?: di)?{_WHEN_IT} {_QUESTO}",
        r"ricordatelo|ricordalo|ricordartelo|tienilo (?:a mente|presente)|memorizzalo|annotalo|segnatelo"
        r"|non dimenticarlo",
        rf"salva {_QUESTO}(?: (?:in|nella) (?:tua )?memoria)?",
        rf"tieni {_QUESTO} (?:a mente|presente)",
        rf"non dimenticare {_QUESTO}",
    ),
    tail=_WHEN_IT,
    joins=r"(?:[,;\u2013\u2014-]|\be)",
    urges=r"per favore|per (?:dopo|il futuro|la prossima volta)",
    stems=("ricord", "mente", "presente", "dimentic", "memori", "annot", "segna", "appunta", "salva"),
)

LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN)
