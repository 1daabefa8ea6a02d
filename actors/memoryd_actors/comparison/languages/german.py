"""German."""

from typing import Final

from memoryd_actors.comparison.languages.figures import Figures
from memoryd_actors.comparison.languages.frames import Frames

_THE: Final = r"(?:(?:der|die|das|dem|den|des|ein|eine|einem|einer|mein|sein|ihr)(?:e|em|en|er|es)? )?"
FRAMES: Final = Frames(
    single=(
        rf"(?:wohn(?:t|e|en)|leb(?:t|e|en)|gemeldet) (?:in|bei|am|im|auf) {_THE}_",
        rf"arbeite(?:t|n)? (?:als|bei|beim|in|im|für|am) {_THE}_",
        r"arbeite(?:t|n)? _",
        rf"(?:kommt|komme|stammt|stamme) (?:aus|von) {_THE}_",
        r"(?:heißt|heiße|heissen|heißen|namens|genannt) _",
        rf"(?:beginnt|startet|endet|öffnet|schließt|läuft|fährt|fliegt|geht|findet|steht|liegt|lauscht) "
        rf"(?:um|am|im|auf|in|mit|ab|von|vom|bei|unter) {_THE}_(?: \S+)?",
        r"(?:kostet|beträgt|wiegt|dauert) _(?: \S+)?",
        rf"(?:wird|werden|ist|sind|wurde|wurden) (?:in|auf|bei|mit|am|im|per|über|als) {_THE}_ \S+(?:t|en)",
        rf"studier(?:t|e|en) {_THE}_(?: \S+){{0,3}}",
        rf"am liebsten (?:(?:am|im|in|auf|mit|als|bei) )?{_THE}_",
        rf"(?:fährt|fahre|kommt|komme|geht|gehe) mit {_THE}_ (?:zur|zum|in die|ins) \S+",
        r"(?:möchte|will) _ werden",
        r"muss _ (?:\S+ )?(?:sein|haben)",
        r"steht (?:\S+ )?zeitzone _",
    ),
    preferred=rf"(?:bevorzug(?:t|e)|präferiert) {_THE}_",
    attributes=r"lieblings\S+|bevorzugte[rns]?|muttersprache|name|status|stufe|typ|format|sprache|größe|farbe|beruf"
    r"|rolle|titel|modus|form|zeitzone|währung|hauptstadt|chefin?|marke|modell",
    belongs=r"der|die|das|(?:mein|dein|sein|ihr|unser|euer|eur)(?:e|er|es|em|en)?|\S+s \S+",
    persons=r"(?:der |die )?(?:be)?nutzer(?:in)?|ich|du|er|wir|(?:das|unser) team",
    copulas=r"ist|sind|war(?:en)?(?! (?:in|im|bei|mit|am) )|bleibt|wird|muss",
    between=r"der|die|das|den|dem|eine?|einen|einem|einer|in|im|am|auf|bei|aus|um|herr|frau|dr|dr\.|jetzt|nur",
    one_of_many=r"(?:1|eine?[rs]?) (?:der|von|meiner|seiner|ihrer)|auch|hobby|hobbys|freund(?:in|e|es)?|manchmal|oft|meistens"
    r"|jede[nrs]?|interessiert|allergisch|einige|manche|ziele?|stärken?|beispiele?",
    nouns_are_capital=True,
    others_too=frozenset(
        (
            "schwester bruder cousin cousine freund freundin kollege kollegin nachbar nachbarin sohn tochter kind "
            "tante onkel neffe nichte großmutter großvater kunde kundin mitglied schüler lehrer lehrerin"
        ).split()
    ),
    colours=frozenset(
        "rot grün blau gelb weiß schwarz braun grau orange lila rosa beige türkis violett silbern golden".split()
    ),
    states=frozenset("ledig verheiratet geschieden verwitwet verlobt single getrennt".split()),
    moved=r"(?P<who>(?:\S+ ){1,4}?)(?:(?:bin|ist|sind|hat|habe|haben|wurde|wurden|wir|ich|er|sie|kürzlich) ){0,3}"
    r"(?:\S+ ){0,2}?von (?P<old>\S+(?: \S+)?) (?:nach|zu|zum|zur|auf|in) (?:(?:den|die|das|dem|der) )?(?P<new>\S+) "
    r"(?:gezogen|umgezogen|gewechselt|umgestiegen|migriert|umgestellt|portiert|verlegt|befördert)",
    first_person=frozenset({"ich", "der nutzer", "nutzer", "der benutzer", "die nutzerin", "wir"}),
    stays=r"(?:wohn(?:t|e|en)|leb(?:t|e|en)|arbeite(?:t|n)?|ist|sind|bin|läuft|nutz(?:t|e|en)|benutzt|verwende(?:t|n)?)"
    r"(?: (?:in|bei|als|auf|mit|am|im))?(?: (?:der|die|das|dem|den))?",
    past=frozenset("war waren hatte früher zuvor bis wohnte lebte arbeitete ehemals von".split()),
)
FIGURES: Final = Figures(
    months=(
        "januar jänner jan",
        "februar feb",
        "märz mar",
        "april apr",
        "mai",
        "juni jun",
        "juli jul",
        "august aug",
        "september sep sept",
        "oktober okt",
        "november nov",
        "dezember dez",
    ),
    days=(
        "montag montags",
        "dienstag dienstags",
        "mittwoch mittwochs",
        "donnerstag donnerstags",
        "freitag freitags",
        "samstag samstags sonnabend sonnabends",
        "sonntag sonntags",
    ),
    relative={"heute": "today", "morgen": "tomorrow", "gestern": "yesterday"},
    cardinals={
        **dict(zip(range(1, 11), "eins zwei drei vier fünf sechs sieben acht neun zehn".split(), strict=True)),
        **dict(
            zip(
                range(12, 20),
                "zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split(),
                strict=True,
            )
        ),
        **dict(
            zip(
                range(20, 100, 10),
                "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(),
                strict=True,
            )
        ),
    },
    hesitant={0: "null", 11: "elf", 12: "dutzend", 100: "hundert"},
    ordinals=(
        "erste ersten erster erstes",
        "zweite zweiten zweiter zweites",
        "dritte dritten dritter drittes",
        "vierte vierten vierter viertes",
        "fünfte fünften fünfter fünftes",
        "sechste sechsten sechster sechstes",
        "siebte siebten siebter siebtes",
        "achten achter achtes",
        "neunte neunten neunter neuntes",
        "zehnte zehnten zehnter zehntes",
    ),
    scales={1_000: "tausend", 1_000_000: "millionen mio", 1_000_000_000: "milliarden"},
    units={
        "%": "Prozent",
        "€": "Euro",
        "$": "Dollar",
        "s": "Sekunde Sekunden",
        "min": "Minute Minuten",
        "h": "Stunde Stunden",
        "km": "Kilometer Kilometern",
        "cm": "Zentimeter",
        "mm": "Millimeter",
        "metres": "Meter Metern",
        "kg": "Kilogramm Kilo",
        "g": "Gramm",
        "litres": "Liter Litern",
        "GB": "Gigabyte",
        "MB": "Megabyte",
        "days": "Tag Tage Tagen",
        "weeks": "Woche Wochen",
        "months": "Monat Monate Monaten",
        "years": "Jahr Jahre Jahren",
    },
)

OPPOSITES: Final = """
    alte/neue alten/neuen arm/reich außen/innen breit/schmal dick/dünn draußen/drinnen duzt/siezt geduzt/gesiezt
    Eingang/Ausgang erste/letzte ersten/letzten gewinnt/verliert gute/schlechte guten/schlechten große/kleine
    großen/kleinen hart/weich hoch/niedrig hohe/niedrige jung/alt kalt/warm kurz/lang kurze/lange kurzen/langen
    langsame/schnelle laut/leise leer/voll Linkshänder/Rechtshänder links/rechts linke/rechte linken/rechten
    nass/trocken öffentlich/privat optional/verpflichtend sauber/schmutzig sauer/süß schwach/stark spitz/stumpf
    Tag/Nacht täglich/monatlich tief/hoch warme/kalte weiblich/männlich
    """
"""Pairs of which one is not the other, in the forms in which they are met."""
