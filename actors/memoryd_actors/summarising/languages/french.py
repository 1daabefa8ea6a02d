"""French."""

from memoryd_actors.summarising.languages.ending import Ending

FRENCH = Ending(
    code="fr",
    done=r"terminée?s?|corrigée?s?|résolue?s?|ajoutée?s?|supprimée?s?|déplacée?s?|renommée?s?|mise?s? à jour|créée?s?|déployée?s?"
    r"|fusionnée?s?|poussée?s?|publiée?s?|migrée?s?|remplacée?s?|installée?s?|configurée?s?|adaptée?s?|modifiée?s?|testée?s?"
    r"|réparée?s?|passent|(?:marche|fonctionne|tourne) (?:maintenant|à nouveau)|est (?:vert|en ligne)",
    failed=r"ne (?:marche|fonctionne|passe) (?:toujours )?pas|toujours (?:pas|la même|le même|en panne|cassé)|même erreur|échou\w+"
    r"|n'a pas (?:marché|fonctionné|aidé)|pas (?:résolu|corrigé|terminé)|impossible de",
    confirmed=r"(?:ça |tout )?(?:marche|fonctionne)(?: maintenant| à nouveau)?|c'est réglé|tout est vert|c'est bon maintenant",
    decided=r"(?:on|nous) (?:a|avons) (?:décidé|choisi|convenu)|on (?:garde|part sur|reste sur|prend)",
    planned=r"je vais|va|vais|allons|devrait|pourrait|peut|peux|si|quand|avant|il faut|doit|veux|voudrais|comment",
    negated=r"ne|pas|jamais|n'\w+",
    conditions="si|quand|lorsque|après|avant",
    own="(?:ok,? |bon,? )*(?:j'|je|on|nous|tout|le build|les tests|ça)",
    limits="mais|sauf|parfois",
)
