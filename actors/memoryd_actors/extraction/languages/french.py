"""French."""

from memoryd_actors.extraction.languages.telling import Telling

_PART = (
    r"(?:apis?|applis?|applications?|serveurs?|services?|bases?|front|frontend|backend|clients?|passerelle|dépôts?|repos?|monorepo"
    r"|paquets?|modules?|bibliothèques?|branches?|config|configurations?|réglages|pipelines?|ci|clusters?|files?|workers?|planificateur"
    r"|endpoints?|équipes?|utilisateurs?|secrets|identifiants|mots de passe|clés|jetons|logs|journaux|métriques|déploiements?|versions"
    r"|builds|migrations|tickets|staging|production|prod|bac à sable|comptes?|environnements?|hôtes?|domaines?|interface|site|docs?"
    r"|documentation|règles|conventions|schémas?|tables?|colonnes?|horodatages|dates|prix|montants|messages|sauvegardes?|caches?|projets?"
    r"|produits?|contrats?|licences?|code|tests|commits|revues|runners?|images?|conteneurs?|jobs|événements|factures|paiements?|cli|démon"
    r"|proxy|pare-feu|vpn|réseau|registre|commentaires)"
)
_STANDS = (
    r"(?:est|sont|tourne|tournent|écoute|parle|parlent|passe|passent|se fait|se font|utilise|utilisent|exige|exigent|a besoin|appartient"
    r"|appartiennent|a|ont|supporte|dépend|dépendent|vient|viennent|se trouve|se trouvent|s'appelle|s'appellent|doit|doivent|ne doit"
    r"|ne doivent|ne peut|contient|contiennent|suit|suivent|gère|stocke|vit|vivent)"
)
_DEICTIC = r"(?:ça|cela|ceci|celui|celle|le (?:premier|deuxième|second|dernier)|la (?:première|deuxième|seconde|dernière)|ton|ta|tes|que tu)\b"
_WE = r"(?:on|nous)"
FRENCH = Telling(
    code="fr",
    common="a à de était le la les et est une un pour dans du des que qui sur avec il elle nous je ne pas au aux on l' d' c' n' j' ici notre",
    prefers=rf"^\W*plutôt .{{5,80}} qu|\b(?:je|nous|on) préf[éè]r\w+ (?!{_DEICTIC})|\bj'(?:aime|adore) (?!{_DEICTIC}|le\b|bien\b)|\b(?:je|nous|on) (?:n'aime(?:ns)?|n'aimons|n'aime) pas (?!{_DEICTIC})"
    r"|\b(?:mon|ma|notre) \w+ (?:veut|exige|préfère|déteste|demande|impose)\b|\b(?:je|nous|on) déteste\w* (?!ça\b|cela\b)|\bmon \w+ préféré|\bma \w+ préférée",
    advises=r"(?:s'il te plaît,? )?(?:pas|jamais) d(?:e |')(?!souci|problème|accord|idée|chance)[^\s,]+ .{0,40}?\b(?:dans|en|sur|pour)\b.{3,}|(?:s'il te plaît,? |et |aussi )*(?:n'utilise|n'ajoute|n'écris|ne mets|ne pousse|ne committe|ne crée|ne propose|ne commite)s? (?:pas|jamais|plus) "
    r"(?!ça\b|cela\b|le\b|la\b|les\b|cette?\b|ton\b)\S+ .{3,}|(?:utilise|écris|garde|évite) (?!ça\b|cela\b|le\b|la\b|cette?\b|un\b|une\b)\S+ .{0,50}?\b(?:au lieu|plutôt|toujours|partout|jamais)\b.{0,}"
    r"|(?:tous|toutes|chaque|aucune?) .{3,50}? (?:doit|doivent) .{3,}|(?:les|des) (?:[^\s,;:!?()]+ ){1,4}?(?:doivent) (?:toujours |être )?.{5,}",
    decides=rf"\b{_WE} (?:a|avons) (?:finalement )?(?:décidé|choisi|convenu|opté|retenu|abandonné)\b|\bj'ai (?:décidé|choisi) d\w*\b"
    rf"|\b{_WE} (?:reste|restons|garde|gardons|part|partons|passe|passons) (?:sur|avec|à) (?!ça\b|cela\b|l'autre|le (?:premier|second))",
    corrects=r"(?:non|faux|c'est faux|en fait|en réalité|correction|pas tout à fait) ?(?:[,.:;!]| \u2013| -)+ "
    r"(?!(?:je|tu|ça|attends|laisse|fais|c'est (?:bon|ok)|essaie|il y a|prends|mets|l'autre|on (?:peut|va|doit))\b)",
    states=r"(?:est|sont|était|a|ont|viennent|passent|tournent|appartiennent|doivent|tourne|utilise|appartient|s'appelle|se trouve|vient|doit|lit|passe)\b",
    learns=r"\b(?:le (?:vrai )?problème|l'erreur|le bug|la (?:vraie )?cause|la raison|la solution|l'astuce|le correctif) (?:était|venait|a été|fut)\b"
    r"|\bil s'est avéré\b|\bil s'avère\b|\bj'ai (?:appris|découvert) que\b|\b(?:ce qui a|c'est .{3,40} qui a) (?:résolu|corrigé|réglé)\b|\bétait dû à\b|\b(?:échoué|planté) parce qu|\b(?:finalement|au final|en fin de compte),? c'était (?:le|la|les|l'|une?)\b|\bc'était (?:à cause|la faute) d",
    does=rf"\bpour (?:le|la|les|l'|tous les) ?[^\s,]+(?: [^\s,]+){{0,2}} il y a (?:une?|des) \S+|\b{_WE} (?:n')?(?:utilise|utilisons|déploie|déployons|héberge|hébergeons|stocke|stockons|supporte|supportons|écrit|écrivons|suit|suivons"
    r"|prend|prenons|livre|livrons|paie|payons|garde|gardons|sort|sortons|travaille|travaillons|développe|développons|teste|testons|range|rangeons|publie|publions|nomme|nommons|facture|facturons|squashe|rebase|merge|fusionne)\b",
    holds=rf"(?:(?:au fait|et|mais|donc|dans ce projet|chez nous|ici)[,:]? )*(?:l'|(?:le|la|les|tous les|toutes les|notre|nos|chaque|mon|ma) )"
    rf"(?:[^\s,;:!?()]+ ){{0,2}}?{_PART}(?: (?:de|du|des|d'|pour|en|sur|avec|à|principale?) ?(?:[^\s,;:!?()]+ ){{0,2}}?[^\s,;:!?()]*)? ?(?:ne )?{_STANDS}\b"
    rf"|(?:notre|nos) (?:[^\s,;:!?()]+ ){{1,3}}?(?:est|sont|tourne|s'appelle|utilise|exige|exigent|se trouve)\b",
    stands=rf"(?:(?:au fait|et|mais|donc|(?:dans|sur|en|chez) (?:le |la |les |l')?[^\s,]+)[,:]? )*(?:le|la|les|l'|tous les|toutes les|aucune?|chaque) ?(?!(?:test|tests|page|bouton|erreur|script|console|écran|conteneur)\b)"
    rf"(?:[^\s,;:!?()]+ ){{1,6}}?{_STANDS}\b|(?:notre|nos|mon équipe|ma boîte|chez nous|pour (?:les|le|la|tous les) \w+(?: \w+){{0,2}}) .{{3,}}",
    lasts=r"\b(?:seulement|uniquement|toujours|jamais|chaque|tous|toutes|tout|doit|doivent|par|jusqu'à|interdit|obligatoire|via|personne|rien|aucune?"
    r"|(?:jours?|semaines?|mois|ans|années?|heures?))\b|(?<=\w)/(?=\w)|\b\d",
    contrasts=r"(?:,| et)? ?\b(?:pas|plus|au lieu|plutôt)\b",
    mine=r"\b(?:mon (?:portable|ordinateur|pc|poste) (?:n'a|a|est|n'est)|je m'appelle|mon nom est|je travaille (?:dans|chez|sur|à|en|comme|avec|pour) |j'utilise (?!ça\b|cela\b|le\b|la\b|cette?\b|un\b|une\b)"
    r"|je suis (?:le|la|développeu\w+|responsable|chargée?|daltonien\w*|dans l'équipe))",
    points=r"\b(?:(?:le|la) (?:premi\w+|deuxième|second\w*|dernier|dernière|autre|nouve\w+|ancien\w*) \w+|à chaque fois|capture d'écran|ligne \d+|(?:un|une) (?:bouton|fonction|boucle|erreur) ici)\b",
    passes=r"\b(?:maintenant|encore|toujours (?:la|le|pas)|déjà|en train|je viens de|pour l'instant|aujourd'hui|d'abord|tout de suite|en ce moment|attends)\b",
    troubles=r"\b(?:mauvaise?s?|timeouts?|conflits?|erreurs?|échoue\w*|plante|cassée?|bloquée?|ne marche pas|ne fonctionne pas|bug|faute|rouge|verts?|oublié|manque|vide|lente?|problème|prêt|fini)\b",
    wonders=r"\b(?:peut-être|sans doute|probablement|je crois|je pense|si (?:on|nous|tu|je)|pourrait|semble|il faudrait|j'espère|aucune idée)\b",
    asks=r"(?:[,;]|\s[-\u2013\u2014])?\s*\b(?:(?:et|mais|donc|ou) )?(?:peux-tu|tu peux|pourrais-tu|est-ce que|comment (?:faire|on|je)|qu'est-ce|je me demande|je voudrais|j'aimerais)\b",
    needs_before=r"(?:ça|cela|ceci|c'est|il(?! (?:s'est avéré|s'avère))|elle|ils|elles|alors|là|aussi|et|mais|donc|puis)\b",
)
