"""Italian."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_FROM_NOW_ON = "d'ora in poi|da ora in poi"
_QUESTO = r"(?:questo|quello|ciò|tutto (?:questo|ciò)|quello che (?:ti )?ho detto)"
_WHEN_IT = (
    r"(?: (?:per favore|anche|sempre|bene|per (?:dopo|il futuro|la prossima volta|tutti (?:i miei |i nostri "
    r"|i )?progetti)"
    r"|d'ora in poi|in futuro|ovunque|in tutti (?:i miei |i nostri |i )?progetti|grazie),?)*"
)
_REQUESTS = Requests(
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
    refers="questo|ciò|esso|essa",
    stems=("ricord", "mente", "presente", "dimentic", "memori", "annot", "segna", "appunta", "salva"),
)
_INSTRUCTIONS = Instructions(
    verbs="""rispondi risponda rispondere usa usi usare utilizza utilizzi utilizzare scrivi scriva scrivere formatta
        formattare dai dammi includi includere indica indicare mostra mostrami mostrare chiedi chiedimi chiedere
        verifica verificare prova aggiungi aggiungere spiega spiegare traduci tradurre cancella cancellare modifica
        modificare cita citare esegui eseguire metti mettere commenta commentare documenta documentare evita evitare
        parla parlare installa installare committare pushare""",
    forms=(
        rf"(?:per favore,? )?(?:sempre|{_FROM_NOW_ON})[\s,:]*(?:sempre |non |per favore )*VERB",
        rf"(?:per favore,? )?VERB (?:[^\s.!?,;:]+ ){{0,4}}(?:sempre|{_FROM_NOW_ON})\b",
        r"(?:per favore,? )?(?:non )?mai VERB",
        r"(?:per favore,? )?non VERB (?:[^\s.!?,;:]+ ){0,2}(?:mai|più)\b",
    ),
    idle="questo ciò lo la così niente mai sempre qui ora ancora sì no",
    describes=r"\b(?:error[ei]|fall\w+|stess[oa]|lent[oa]|vuot[oa]|null|eccezion\w+|timeout|per questo|però|vecchi[oa]|[45]\d\d)"
    r"\b",
)
_WORDINGS = Wordings(
    corrects="in realtà|sbagliato|non è (?:vero|così)|no",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:sempre|mai)\b",
        r"tu\b.{0,60}?\b(?:devi|sempre|mai)\b",
    ),
    prefers=r"preferisco|preferiamo|mi piac(?:e|ciono)|non mi piac(?:e|ciono)",
    everywhere="(?:in|per) tutti (?:i miei |i nostri |i )?progetti",
    everywhere_asked="ovunque|globalmente",
)

ITALIAN = Language("it", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
