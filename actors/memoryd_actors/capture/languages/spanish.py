"""Spanish."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_FROM_NOW_ON = "de ahora en adelante|a partir de ahora|en adelante"
_ESTO = r"(?:esto|eso|todo (?:esto|eso)|lo que (?:te )?(?:he dicho|dije))"
_WHEN_ES = (
    r"(?: (?:por favor|también|siempre|bien|para (?:luego|después|más tarde|la próxima(?: vez)?|el futuro"
    r"|todos (?:mis|los|"
    r"nuestros) proyectos)|a partir de ahora|de ahora en adelante|en todas partes|en todos (?:mis|los"
    r"|nuestros) proyectos"
    r"|gracias),?)*"
)
_REQUESTS = Requests(
    lead=r"ok|okay|oye|vale|y|bueno|gracias|perfecto|sí|no(?=[,.;:!])|bien|por cierto|importante|hola|entonces|además|en realidad"
    r"|incorrecto",
    please=r"(?:por favor,? |¿?(?:puedes|podrías) |(?:quiero|me gustaría) que |debes |tienes que )?",
    asks=r"¿?(?:puedes|podrías) ",
    after=(
        rf"(?:recuerda|recuerde|recordar|recuerdes|acuérdate de|acordarte de|ten (?:presente|en mente|en cuenta)|tener "
        rf"(?:presente|en cuenta)|no olvides|no te olvides de|memoriza|anota|apunta){_WHEN_ES} que (?=\S+ \S)",
        rf"(?:recuerda|recuerde|recordar|ten (?:presente|en mente|en cuenta)|no olvides|memoriza|anota|apunta|guarda(?: en (?:tu |la )?memoria)?)"
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
    refers="esto|eso|es|ello",
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
_INSTRUCTIONS = Instructions(
    verbs="""responde responda responder respondas contesta conteste contestes usa use usar uses utiliza utilice
        utilizar utilices escribe escriba escribir escribas formatea dame des incluye incluir incluyas indica indiques
        muestra muestres pregunta pregúntame preguntes verifica prueba añade añadas agrega agregues explica expliques
        traduce borres elimina elimines modifica modifiques cita haz hagas ejecuta ejecutes pon pongas comenta comentes
        documenta evita habla hables sube subas instala instales""",
    forms=(
        r"(?:siempre |nunca )?(?:debes|tienes que) (?:siempre |nunca )?VERB (?:[^\s.!?,;:]+ ){0,6}(?:siempre|nunca)\b|(?:siempre|nunca) (?:debes|tienes que) VERB",
        rf"(?:por favor,? )?(?:siempre|nunca|jamás|{_FROM_NOW_ON})\b[\s,:]*(?:siempre |nunca |no |me |por favor )*VERB",
        rf"(?:por favor,? )?VERB (?:[^\s.!?,;:]+ ){{0,4}}(?:siempre|{_FROM_NOW_ON})\b",
        r"(?:por favor,? )?no (?:me )?VERB (?:[^\s.!?,;:]+ ){0,2}(?:nunca|jamás|más)\b",
    ),
    idle="esto eso lo la así nada nunca siempre aquí ahora otra vez sí no",
    describes=r"\b(?:errore?s?|fall\w+|mism[oa]s?|lent[oa]s?|vací[oa]s?|nul[oa]s?|excepción|timeout|por eso|pero|viej[oa]s?"
    r"|antigu[oa]s?|[45]\d\d)\b",
)
_WORDINGS = Wordings(
    corrects="no|en realidad|incorrecto|eso no es (?:cierto|correcto)",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:siempre|nunca|jamás)\b",
        r"(?:tú|usted)\b.{0,60}?\b(?:debes|tienes que|siempre|nunca)\b",
    ),
    prefers=r"prefiero|preferimos|me gustan?\b|no me gustan?\b|odio\b",
    everywhere="(?:en|para) todos (?:mis|nuestros|los) proyectos",
    everywhere_asked="en todas partes|globalmente",
)

SPANISH = Language("es", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
