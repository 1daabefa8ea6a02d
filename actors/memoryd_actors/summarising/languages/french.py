"""French."""

from memoryd_actors.summarising.languages.ending import Ending

FRENCH = Ending(
    code="fr",
    acts=r"(?:terminé|corrigé|résolu|ajouté|supprimé|déplacé|renommé|mis à jour|mise à jour|créé|déployé|fusionné|poussé|publié|migré"
    r"|remplacé|installé|configuré|adapté|modifié|testé|réparé|changé|trouvé|augmenté|réduit|écrit)(?:e?s?)",
    done=(
        r"(?:j'ai|nous avons|on a) (?:[^\s,;:]+ ){0,2}?ACT",
        r"(?:a|ont) (?:bien )?été (?:[^\s,;:]+ )?ACT",
        r"(?:est|sont) (?:maintenant |bien |désormais )*ACT",
        r"(?:tests?|build|pipeline|tout) (?:passent?|est vert|sont verts)(?: maintenant| à nouveau)?",
        r"(?:marche|fonctionne|tourne) (?:maintenant|à nouveau|de nouveau)",
    ),
    opens="terminé|corrigé|résolu|c'est fait|fait|ajouté|supprimé|renommé|déployé|fusionné",
    failed=r"ne (?:marche|fonctionne|passe) (?:toujours )?pas|toujours (?:pas|la même|le même|en panne|cassé)|même erreur|échou\w+"
    r"|n'a pas (?:marché|fonctionné|aidé)|pas (?:résolu|corrigé|terminé)|pas (?:réussi|pu|trouvé)|impossible de",
    confirmed=r"(?:ça |tout )?(?:marche|fonctionne)(?: maintenant| à nouveau)?|c'est réglé|tout est vert|c'est bon maintenant",
    decided=r"(?:on|nous) (?:a|avons) (?:décidé|choisi|convenu)|on (?:garde|part sur|reste sur|prend)",
    planned=r"je vais|va|vais|allons|devrait|pourrait|peut|peux|si|quand|avant|il faut|doit|veux|voudrais|comment",
    negated=r"ne|pas|jamais|n'\w+",
    conditions="si|quand|lorsque|après|avant",
    own="(?:ok,? |bon,? )*(?:j'ai (?:corrigé|fusionné|déployé|poussé|résolu)|tout|le build|les tests)",
    announces=r"(?:(?:bien sûr|d'accord|ok|maintenant|d'abord)[,!.]? )*(?:je vais|laisse-moi|laissez-moi|dis-moi si|dites-moi si|n'hésite|veux-tu"
    r"|voulez-vous|souhaites-tu|si tu (?:veux|as)|de rien)",
    likely="probablement|sans doute|tu|vous|votre|ton|ta|tes|dans la version",
    limits="mais|sauf|parfois",
)
