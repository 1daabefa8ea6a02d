"""Portuguese, of Brazil and of Portugal."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_ISSO = r"(?:isso|isto|disso|disto|tudo (?:isso|isto)|o que (?:eu )?(?:te )?(?:disse|falei))"
_WHEN = (
    r"(?: (?:por favor|também|sempre|bem|aí|para (?:depois|mais tarde|a próxima(?: vez)?|o futuro|todos (?:os )?"
    r"(?:meus|nossos)? ?projetos)|a partir de agora|daqui em diante|em todos (?:os )?(?:meus |nossos )?projetos"
    r"|obrigad[oa]|(?:pra|para) mim),?)*"
)
_REMEMBER = (
    r"(?:lembre(?:-se)?|lembra-te|lembrar(?:-se)?|se lembr(?:e|ar)|te lembr(?:es|ar)|te lembra|lembra(?: aí)?|recorde"
    r"|recorda(?:-te)?|(?:tenha|tem|ter|tenhas) (?:em mente|presente|em conta)|(?:leve|leva|levar) em conta|memorize|memoriza"
    r"|memorizar|anote|anota|anotar|guarde|guarda|guardar|não (?:se |te )?esque[çc]as?(?:-te)?)"
)
_FROM_NOW_ON = r"a partir de agora|de agora em diante|daqui em diante|daqui para a frente|doravante"
_REQUESTS = Requests(
    lead=r"ok|okay|oi|olá|e|então|bom|bem|obrigado|obrigada|perfeito|sim|não(?=[,.;:!])|certo|ótimo|beleza|aliás|a propósito"
    r"|importante|também|além disso|na verdade|errado|está errado",
    please=r"(?:por favor,? |(?:você |vc |tu )?(?:pode|poderia|podes|poderias) (?:por favor )?"
    r"|(?:quero|gostaria|preciso) que (?:você |vc |tu )?|(?:você |tu )?(?:deve|deves|tem que|precisa) )?",
    asks=r"(?:você |vc |tu )?(?:pode|poderia|podes|poderias) ",
    after=(
        rf"{_REMEMBER}{_WHEN} (?:de |do fato de )?que (?=\S+ \S)",
        rf"(?:{_REMEMBER}|salve|salva|registre|registra|regista|grave){_WHEN}"
        rf"(?: (?:isso|isto|disso|disto|o seguinte))?{_WHEN} ?:(?!//)",
    ),
    points=(
        rf"{_REMEMBER}(?: de)?{_WHEN} {_ISSO}",
        rf"(?:lembrar|memorizar|anotar|guardar){_WHEN} {_ISSO}",
        rf"(?:salve|salva|registre|registra|regista|grave|guarde|guarda|anote) {_ISSO}(?: na (?:tua |sua )?memória)?",
        rf"(?:tenha|tem|ter|leve|leva) {_ISSO} (?:em mente|presente|em conta)",
        rf"não (?:se |te )?esque[çc]as?(?:-te)? {_ISSO}",
        r"lembre-se|lembra-te",
    ),
    tail=_WHEN,
    joins=r"(?:[,;\u2013\u2014-]|\be)",
    urges=r"por favor|para (?:depois|mais tarde|a próxima|o futuro|mim)",
    refers="isso|isto|ele|ela|eles|elas",
    stems=(
        "lembr",
        "record",
        "em mente",
        "presente",
        "em conta",
        "memori",
        "anot",
        "guard",
        "esque",
        "salv",
        "regist",
        "grave",
    ),
)
_INSTRUCTIONS = Instructions(
    verbs="""responda respondas responde responder use usa usar uses utilize utiliza utilizar utilizes escreva escreve
        escrever escrevas formate formata dê inclua inclui incluir incluas indique indica mostre mostres pergunte
        pergunta perguntes verifique verifica verificar teste testa adicione adiciona adicionar adiciones acrescente
        explique explica traduza traduz apague apagues remova removas modifique modifiques altere alteres cite faça
        faz faças execute execute rode rodar ponha coloque comente documente documenta crie evite evita fale fala fales
        instale instales commite faça mantenha mantém""",
    forms=(
        rf"(?:por favor,? )?(?:sempre|nunca|jamais|{_FROM_NOW_ON})\b[\s,:]*(?:sempre |nunca |não |me |por favor )*VERB",
        rf"(?:por favor,? )?VERB (?:[^\s.!?,;:]+ ){{0,4}}(?:sempre|{_FROM_NOW_ON})\b",
        r"(?:por favor,? )?não (?:me )?VERB (?:[^\s.!?,;:]+ ){0,2}(?:nunca|jamais|mais)\b",
    ),
    idle="isso isto o a lo assim nada nunca sempre aqui agora de novo sim não",
    describes=r"\b(?:erros?|falh\w+|mesm[oa]s?|lent[oa]s?|vazi[oa]s?|nul[oa]s?|exceção|timeout|por isso|mas|velh[oa]s?"
    r"|antig[oa]s?|[45]\d\d)\b",
)
_WORDINGS = Wordings(
    corrects=r"não|na verdade|errado|está errado|incorreto|isso não (?:é verdade|está certo)|correção",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:por favor,? )?(?:sempre|nunca|jamais)\b",
        r"(?:você|tu)\b.{0,60}?\b(?:deve|deves|tem que|sempre|nunca)\b",
    ),
    prefers=r"prefiro|preferimos|(?:eu )?gosto de|gostamos de|não gosto de|odeio|detesto|meu \w+ favorito",
    everywhere=r"(?:em|para) todos (?:os )?(?:meus |nossos )?projetos",
    everywhere_asked=r"em todo lugar|em todo o lado|globalmente",
)
PORTUGUESE = Language("pt", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
