"""French."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_FROM_NOW_ON = "désormais|dorénavant|à partir de maintenant|à l'avenir"
_PLEASE = "s'il te plaît|s'il vous plaît|stp|svp"
_CELA = r"(?:ceci|cela|ça|tout (?:ceci|cela|ça)|ce que je (?:viens de dire|t'ai dit))"
_WHEN_FR = (
    r"(?: (?:bien|s'il te plaît|s'il vous plaît|stp|svp|aussi|toujours|désormais|à l'avenir|pour (?:plus tard|la suite|"
    r"la prochaine fois|l'avenir|tous (?:mes|les|nos) projets)|partout|dans tous (?:mes|les|nos) projets|merci),?)*"
)
_REQUESTS = Requests(
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
    refers="il|elle|ils|elles|cela|ça|c'est",
    stems=("souv", "rappel", "retien", "reten", "mémori", "garde", "oubli", "enregistr", "note"),
)
_INSTRUCTIONS = Instructions(
    verbs="""réponds répondez répondre utilise utilisez utiliser écris écrivez écrire rédige rédigez rédiger formate
        formatez formater donne donnez donner indique indiquez indiquer cite citez citer montre montrez montrer demande
        demandez demander vérifie vérifiez vérifier teste testez tester ajoute ajoutez ajouter inclus incluez inclure
        explique expliquez expliquer traduis traduisez traduire supprime supprimez supprimer modifie modifiez modifier
        parle parlez parler lance lancez lancer mets mettez mettre commente commenter documente documenter crée créer
        évite évitez éviter pousse pousser committe commite committer installe installer tutoie tutoyer vouvoie vouvoyer""",
    forms=(
        r"(?:tu|vous) (?:dois|devrais|devez) (?:toujours|ne jamais) VERB",
        rf"(?:{_PLEASE},? )?(?:toujours|{_FROM_NOW_ON})\b[\s,:]*(?:ne (?:plus )?(?:jamais )?|n'|toujours )?VERB",
        rf"(?:{_PLEASE},? )?(?:ne )?(?:plus )?jamais VERB",
        rf"(?:{_PLEASE},? )?VERB(?:-moi|-nous)? (?:[^\s.!?,;:]+ ){{0,4}}(?:toujours(?! (?:pas|en cours)\b)|{_FROM_NOW_ON})"
        r"(?!\w)",
        rf"(?:{_PLEASE},? )?(?:ne |n')(?:me |nous )?VERB (?:[^\s.!?,;:]+ ){{0,2}}(?:plus )?(?:jamais|plus)\b",
    ),
    idle="ça cela ceci le la les encore oui non rien ici maintenant jamais toujours",
)
_WORDINGS = Wordings(
    corrects="non|c'est faux|faux|en fait|en réalité|correction",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:toujours|jamais)\b",
        r"(?:tu|vous)\b.{0,60}?\b(?:dois|devez|toujours|jamais)\b",
    ),
    prefers=r"(?:je|nous) préf[éè]r\w+|j'(?:aime|adore|aimerais)|je (?:déteste|n'aime pas|veux)\b",
    everywhere="(?:dans|pour) tous (?:mes|nos|les) projets",
    everywhere_asked="partout",
)

FRENCH = Language("fr", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
