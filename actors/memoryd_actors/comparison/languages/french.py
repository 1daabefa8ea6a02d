"""French."""

from typing import Final

from memoryd_actors.comparison.languages.figures import Figures
from memoryd_actors.comparison.languages.frames import Frames

_THE: Final = r"(?:(?:le|la|les|un|une|de|du|des|mon|ma|son|sa|notre) ){0,2}"
FRAMES: Final = Frames(
    single=(
        rf"(?:habite[sz]?|habitent|vi[st]|vivent|réside|loge) (?:à|en|au|aux|dans|chez|sur) {_THE}_",
        rf"travaille[sz]? (?:comme|chez|à|pour|en|au|dans) {_THE}_",
        r"travaille[sz]? à temps _",
        rf"(?:née?s?) (?:à|en|au|le) {_THE}_",
        rf"(?:vient|viens|originaire) {_THE}_",
        r"(?:se|me|te)? ?(?:appelle|appellent|nomme|nommée?) _",
        rf"(?:commence|débute|finit|ouvre|ferme|part|arrive|termine|expire|lève|couche|lieu) "
        rf"(?:(?:à|le|en|au|dans|sur|vers) )?{_THE}_(?: \S+)?",
        r"(?:coûte|pèse|dure|mesure) _(?: \S+)?",
        rf"(?:est|sont|sera|seront|était) (?:\S+(?:é|ée|és|ées|it|ite|its|ites|u|ue|us|ues)) (?:en|sur|à|au|pour|chez|dans) {_THE}_",
        rf"(?:tourne|fonctionne|court) (?:sur|sous|avec) {_THE}_",
        rf"(?:étudie[sz]?|étudient|fait des études) {_THE}_(?: \S+){{0,3}}",
        rf"préfère[sz]? {_THE}\S+ (?:côté )?_",
        rf"(?:va|vais|rend|rends) au (?:travail|bureau) (?:(?:en|à) )?{_THE}_",
        rf"(?:marié|mariée|fiancé|fiancée) (?:à|avec) {_THE}_",
        r"\S+ est _ (?:à|dans|chez) \S.*",
    ),
    preferred=rf"préfère[sz]? (?!que ){_THE}_",
    attributes=r"préférée?s?|maternelle|nom|prénom|statut|niveau|type|format|langue|taille|couleur|métier|profession"
    r"|rôle|titre|mode|forme|fuseau|devise|régime|marque|modèle",
    belongs=r"le|la|les|(?:mon|ma|mes|ton|ta|tes|son|sa|ses|notre|nos|votre|vos|leur|leurs|ce|cette)",
    persons=r"(?:le |la )?utilisat(?:eur|rice)|je|tu|il|elle|on|nous|vous|(?:le |notre )équipe",
    copulas=r"est|sont|étai(?:t|ent)(?! (?:à|en|chez|avec) )|sera|seront|reste",
    between=r"le|la|les|un|une|de|du|à|au|en|sur|dans|chez|monsieur|madame|docteur|dr|appelée?|nommée?",
    one_of_many=r"(?:1|un|une|le un|la une|certains|membre) (?:de|des)|aussi|également|loisirs?|hobby|amie?s?|parfois|souvent"
    r"|chaque|intéressée?|allergique|objectifs?|exemples?|qualités?",
    nouns_are_capital=False,
    others_too=frozenset(
        (
            "sœur frère cousin cousine ami amie collègue voisin voisine fils fille enfant tante oncle neveu nièce "
            "client cliente membre élève professeur"
        ).split()
    ),
    colours=frozenset(
        "rouge vert verte bleu bleue jaune blanc blanche noir noire brun brune gris grise orange violet violette rose "
        "beige marron turquoise rouges verts vertes bleus bleues jaunes blancs blanches noirs noires gris grises roses "
        "bruns brunes violets violettes".split()
    ),
    states=frozenset(
        "célibataire marié mariée divorcé divorcée veuf veuve fiancé fiancée séparé séparée pacsé pacsée".split()
    ),
    moved=r"(?P<who>(?:\S+ ){1,4}?)(?:(?:ai|a|avons|ont|est|suis|sont|été) ){0,2}"
    r"(?:déménagé|passée?s?|migrée?s?|changé|basculé|réécrite?s?|muté) "
    r"(?:\S+ ){0,2}?de (?P<old>\S+(?: \S+)?) (?:à|vers|en|pour) (?:(?:le|la|les) )?(?P<new>\S+)",
    first_person=frozenset({"je", "le utilisateur", "utilisateur", "la utilisatrice", "nous"}),
    stays=r"(?:habite[sz]?|habitent|vi[st]|vivent|travaille[sz]?|est|sont|suis|tourne|utilise[sz]?|utilisent)"
    r"(?: (?:écrite?s?|hébergée?s?|basée?s?))?(?: (?:à|en|au|chez|comme|sur|dans|sous))?(?: (?:le|la|les))?",
    past=frozenset("était étaient avait habitait vivait travaillait avant auparavant ancien ancienne".split()),
)
FIGURES: Final = Figures(
    months=(
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ),
    months_in_lower_case=True,
    days=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    relative={"aujourd'hui": "today", "demain": "tomorrow", "hier": "yesterday"},
    cardinals={
        **dict(zip(range(2, 9), "deux trois quatre cinq six sept huit".split(), strict=True)),
        **dict(zip(range(10, 17), "dix onze douze treize quatorze quinze seize".split(), strict=True)),
        **dict(zip(range(20, 70, 10), "vingt trente quarante cinquante soixante".split(), strict=True)),
    },
    hesitant={0: "zéro", 9: "neuf", 12: "douzaine", 100: "cent"},
    ordinals=(
        "premier première",
        "deuxième",
        "troisième",
        "quatrième",
        "cinquième",
        "sixième",
        "septième",
        "huitième",
        "neuvième",
        "dixième",
    ),
    scales={1_000: "mille", 1_000_000: "million millions", 1_000_000_000: "milliards"},
    hundreds="cents",
    ands="et",
    units={
        "€": "euro euros",
        "$": "dollar dollars",
        "s": "seconde secondes",
        "min": "minute minutes",
        "h": "heure heures",
        "km": "kilomètre kilomètres",
        "cm": "centimètre centimètres",
        "metres": "mètre mètres",
        "kg": "kilogramme kilogrammes kilo kilos",
        "g": "gramme grammes",
        "litres": "litre",
        "days": "jour jours",
        "weeks": "semaine semaines",
        "months": "mois",
        "years": "ans année années",
    },
)

OPPOSITES: Final = """
    allumé/éteint basse/haute bas/haut blanc/noir blanche/noire bon/mauvais bonne/mauvaise chaude/froide cher/bon-marché
    claire/sombre court/long courte/longue courts/longs courtes/longues dedans/dehors dernier/premier dernière/première
    doux/salé droite/gauche droit/gauche droitier/gaucher droitière/gauchère entrée/sortie épais/mince épaisse/mince
    faible/fort faible/forte fausse/vraie fermée/ouverte gagne/perd grande/petite grands/petits grandes/petites
    gros/maigre intérieur/extérieur jeune/vieux jeune/vieille jour/nuit lente/rapide lourd/léger lourde/légère
    meilleur/pire mensuel/quotidien neuf/usagé nouvelle/ancienne nouveau/ancien obligatoire/facultatif
    obligatoire/optionnel pauvre/riche plein/vide pleine/vide privé/public privée/publique propre/sale sec/mouillé
    simple/complexe toujours/jamais
    """
"""Pairs of which one is not the other, in the forms in which they are met."""
