"""Spanish."""

from typing import Final

from memoryd_actors.comparison.languages.figures import Figures
from memoryd_actors.comparison.languages.frames import Frames

_THE: Final = r"(?:(?:el|la|los|las|un|una|mi|su|nuestro|nuestra) )?"
FRAMES: Final = Frames(
    single=(
        rf"(?:viv(?:o|e|en|imos)|reside|resido) (?:en|cerca de) {_THE}_",
        rf"trabaj(?:o|a|an|amos) (?:como|en|para|de|desde) {_THE}_",
        r"trabaj(?:o|a) a tiempo _",
        rf"naci(?:ó|do|da) (?:en|el) {_THE}_",
        rf"(?:es|soy|viene|vengo) de {_THE}_",
        r"(?:se|me) (?:llama|llaman|llamo) _",
        rf"(?:empieza|comienza|termina|acaba|abre|cierra|sale|llega|vence|caduca|parte|levanta|acuesta) "
        rf"(?:(?:a|en|de|el|al|desde|por) )?{_THE}_(?: \S+)?",
        r"(?:cuesta|pesa|dura|mide) _(?: \S+)?",
        rf"(?:está|están|es|son|será|fue) \S*(?:ad[oa]s?|id[oa]s?|escrit[oa]s?|hech[oa]s?) "
        rf"(?:en|a|para|con|como) {_THE}_",
        rf"(?:corre|funciona|se ejecuta) (?:en|sobre|con) {_THE}_",
        rf"estudi(?:o|a|an) {_THE}_(?: \S+){{0,3}}",
        rf"prefier(?:o|e|en) {_THE}\S+ de (?:la )?_",
        rf"(?:va|voy|viaja) al (?:trabajo|colegio|instituto) (?:en|a) {_THE}_",
        rf"(?:casado|casada|prometido|prometida) con {_THE}_",
        r"\S+ es _ en \S.*",
        r"debe tener _(?: \S+)?",
    ),
    preferred=rf"prefier(?:o|e|en) (?!que ){_THE}_",
    attributes=r"favorit[oa]s?|preferid[oa]s?|matern[oa]|nombre|estado|nivel|tipo|formato|idioma|lengua|tamaño|color"
    r"|profesión|oficio|rol|título|modo|forma|zona|moneda|dieta|marca|modelo",
    belongs=r"el|la|los|las|mi|mis|tu|tus|su|sus|nuestro|nuestra|nuestros|nuestras|este|esta",
    persons=r"(?:el |la )?usuari[oa]|yo|tú|él|ella|nosotros|(?:el |nuestro )equipo",
    copulas=r"es|son|era|eran|será|serán|está|están|fue(?! (?:en|a|con) )",
    between=r"el|la|los|las|un|una|de|en|a|señor|señora|doctor|doctora|dr|llamado|llamada|pintadas?|pintados?",
    one_of_many=r"(?:1|un[oa]) de|algun[oa]s?|también|hobby|afici(?:ón|ones)|amig[oa]s?|a veces|a menudo|cada|interesad[oa]"
    r"|alérgic[oa]|objetivos?|ejemplos?",
    nouns_are_capital=False,
    others_too=frozenset(
        (
            "hermana hermano primo prima amigo amiga colega compañero compañera vecino vecina hijo hija tía tío "
            "sobrino sobrina cliente miembro alumno profesor profesora"
        ).split()
    ),
    colours=frozenset(
        "rojo roja verde azul amarillo amarilla blanco blanca negro negra marrón gris naranja morado morada rosa beige "
        "turquesa violeta rojos rojas verdes azules amarillos amarillas blancos blancas negros negras marrones grises "
        "morados moradas".split()
    ),
    states=frozenset(
        "soltero soltera casado casada divorciado divorciada viudo viuda prometido prometida separado separada".split()
    ),
    moved=r"(?P<who>(?:\S+ ){0,4}?)(?:(?:he|ha|hemos|han|fue|ha sido|me|se|nos|acabo de) ){0,3}"
    r"(?:mudé|mudó|mudado|mudamos|cambié|cambió|cambiado|pasé|pasó|pasado|migró|migrado|migramos|reescrito|trasladado) "
    r"(?:\S+ ){0,2}?(?:de|desde) (?P<old>\S+(?: \S+)?) (?:a|hacia) (?:(?:el|la|los|las) )?(?P<new>\S+)",
    first_person=frozenset({"yo", "el usuario", "usuario", "la usuaria", ""}),
    stays=r"(?:viv(?:o|e|en|imos)|trabaj(?:o|a|an|amos)|es|son|está|están|soy|estoy|us(?:o|a|an|amos)|utiliz(?:o|a|an)"
    r"|corre|funciona)(?: (?:escrit[oa]s?|alojad[oa]s?))?(?: (?:en|como|para|sobre|con))?(?: (?:el|la|los|las))?",
    past=frozenset("era eran vivía trabajaba antes anteriormente fue".split()),
)
FIGURES: Final = Figures(
    months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre setiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    months_in_lower_case=True,
    days=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado sábados", "domingo domingos"),
    relative={"hoy": "today", "ayer": "yesterday"},
    cardinals={
        **dict(zip(range(2, 11), "dos tres cuatro cinco seis siete ocho nueve diez".split(), strict=True)),
        **dict(
            zip(
                range(12, 30),
                "doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós "
                "veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve".split(),
                strict=True,
            )
        ),
        **dict(
            zip(range(30, 100, 10), "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(), strict=True)
        ),
        100: "cien ciento",
        **dict(
            zip(
                range(200, 1000, 100),
                "doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
                "novecientos".split(),
                strict=True,
            )
        ),
    },
    hesitant={0: "cero"},
    ordinals=(
        "primero primera primer",
        "segundo segunda",
        "tercero tercera tercer",
        "",
        "quinto quinta",
        "sexto sexta",
        "séptimo séptima",
        "octavo octava",
        "noveno novena",
        "décimo décima",
    ),
    scales={1_000: "mil", 1_000_000: "millón millones"},
    ands="y",
    units={
        "€": "euro euros",
        "$": "dólar dólares",
        "s": "segundos",
        "min": "minuto minutos",
        "h": "hora horas",
        "km": "kilómetro kilómetros",
        "cm": "centímetro centímetros",
        "metres": "metro metros",
        "kg": "kilogramo kilogramos kilo kilos",
        "g": "gramo gramos",
        "litres": "litro litros",
        "days": "día días",
        "weeks": "semana semanas",
        "months": "meses",
        "years": "año años",
    },
)

OPPOSITES: Final = """
    abierto/cerrado abierta/cerrada alto/bajo alta/baja antes/después barato/caro barata/cara bueno/malo buena/mala
    caliente/frío caliente/fría claro/oscuro clara/oscura corto/largo corta/larga cortos/largos cortas/largas
    dentro/fuera derecha/izquierda derecho/izquierdo diario/mensual difícil/fácil dulce/salado encendido/apagado
    entrada/salida fuerte/débil gana/pierde gordo/delgado grande/pequeño grande/pequeña grandes/pequeños
    grandes/pequeñas joven/viejo joven/vieja lento/rápido lenta/rápida lleno/vacío llena/vacía limpio/sucio
    limpia/sucia mayor/menor más/menos mejor/peor mojado/seco noche/día nuevo/viejo nueva/vieja obligatorio/opcional
    odia/ama pobre/rico pobre/rica primero/último primera/última privado/público privada/pública ruidoso/silencioso
    siempre/nunca simple/complejo tarde/temprano verdadero/falso zurdo/diestro zurda/diestra
    """
"""Pairs of which one is not the other, in the forms in which they are met."""
