"""Spanish."""

from memoryd_actors.extraction.languages.telling import Telling

_PART = (
    r"(?:apis?|apps?|aplicación|aplicaciones|servidor|servidores|servicios?|bases?|frontend|backend|clientes?|pasarela|repos?|repositorios?"
    r"|monorepo|paquetes?|módulos?|bibliotecas?|ramas?|config|configuración|ajustes|pipelines?|ci|clusters?|colas?|workers?|planificador"
    r"|endpoints?|equipos?|usuarios?|secretos|credenciales|contraseñas|claves|tokens|logs|registros|métricas|despliegues?|versiones|builds"
    r"|migraciones|tickets|staging|producción|sandbox|cuentas?|entornos?|hosts?|dominios?|interfaz|web|docs|documentación|normas"
    r"|convenciones|esquemas?|tablas?|columnas?|fechas|precios|importes|mensajes|copias|caché|proyectos?|productos?|contratos?|licencias?"
    r"|código|pruebas|tests|commits|revisiones|runners?|imágenes|contenedores|trabajos|eventos|facturas|pagos|cli|demonio|proxy|cortafuegos"
    r"|vpn|red|comentarios)"
)
_STANDS = (
    r"(?:es|son|está|están|van|va|corre|corren|escucha|habla|hablan|pasa|pasan|se hacen?|se guardan?|se llaman?|se almacenan?|se despliegan?"
    r"|se escriben?|se sirven?|se publican?|se suben?|se ejecutan?|se prueban?|usa|usan|utiliza|utilizan|exige|exigen|necesita|necesitan|pertenece|pertenecen|tiene|tienen|soporta|depende|dependen"
    r"|viene|vienen|vive|viven|debe|deben|no debe|no deben|no puede|contiene|contienen|sigue las|siguen las|gestiona)"
)
_DEICTIC = (
    r"(?:esto|eso|este|esta|ese|esa|el (?:primero|segundo|último|otro)|la (?:primera|segunda|última|otra)|tu|que)\b"
)
SPANISH = Telling(
    code="es",
    common="era a el la los las y en es con por para una un que se su del lo al no como de nos me nuestra nuestro aquí está son",
    prefers=rf"^\W*mejor .{{5,80}} que |\b(?:prefiero|preferimos) (?!{_DEICTIC})|\b(?:me|nos) gustan? (?!{_DEICTIC}|cómo\b|el resultado)|\bno (?:me|nos) gustan? (?!{_DEICTIC})"
    r"|\b(?:mi|nuestr[oa]) \w+ (?:quiere|exige|prefiere|odia|pide|insiste)\b|\b(?:odio|detesto) (?!esto\b|eso\b|que\b)|\bmi \w+ (?:favorit|preferid)[oa]",
    advises=r"(?:por favor,? )?(?:nada|ningún|ninguna) (?:de )?(?!eso|esto|problema)\w+ .{0,40}?\b(?:en|para)\b.{3,}|(?:por favor,? |y |también )*no (?:uses|añadas|agregues|escribas|pongas|crees|subas|propongas|metas|instales) (?!esto\b|eso\b|el\b|la\b|los\b|las\b|ese\b|esa\b|tu\b)"
    r"\S+ .{3,}|(?:usa|escribe|mantén|evita) (?!esto\b|eso\b|el\b|la\b|ese\b|esa\b|un\b|una\b)\S+ .{0,50}?\b(?:en lugar|en vez|siempre|en todos?|nunca)\b.{0,}"
    r"|(?:todos|todas|cada|ningún|ninguna) .{3,50}? (?:debe|deben) .{3,}",
    decides=r"\b(?:hemos|he) (?:decidido|elegido|acordado|optado|descartado)\b|\b(?:decidimos|acordamos|elegimos|optamos)\b"
    r"|\b(?:vamos a quedarnos|nos quedamos|seguimos|vamos a seguir) con (?!esto\b|eso\b|este\b|el (?:primero|otro))|\b(?:nos pasamos|vamos a pasar|migramos) (?:a|de)\b",
    corrects=r"(?:no|incorrecto|en realidad|corrección|eso no es (?:así|cierto|correcto))(?:[,.:;!]| \u2013| -)+ "
    r"(?!(?:yo|tú|espera|deja|haz|está bien|prueba|hay|pon|el otro|la otra|sigue|quiero|creo|vamos)\b)",
    states=r"(?:es|son|está|están|era|vienen|corren|usan|pertenecen|deben|tiene|tienen|corre|usa|pertenece|se llama|viene|debe|lee|pasa)\b",
    learns=r"\b(?:el (?:verdadero )?problema|el error|el fallo|la (?:verdadera )?causa|la razón|la solución|el truco|el arreglo) (?:era|fue|estaba|resultó)\b(?! en la línea)"
    r"|\bresult(?:ó|a) que\b|\b(?:he aprendido|aprendí|descubrí|hemos descubierto) que\b|\blo que lo (?:arregló|solucionó|resolvió)\b|\bse debía a\b|\b(?:falló|fallaba|se cayó) porque\b|\bla culpa (?:era|fue|la tenía)\b|\bal final (?:era|fue) (?:el|la|un|una|por)\b",
    does=r"\bpara (?:el|la|los|las) [^\s,]+(?: [^\s,]+){0,2} hay (?:una?|unos) \S+|\b(?!(?:vamos|podemos|tenemos|debemos|hemos|estamos|sabemos|queremos|veamos|probemos|necesitamos|somos|hagamos|vemos|éramos|íbamos)\b)\w{3,}(?:amos|emos|imos) (?:cada|siempre|solo|con|en|por|a|los|el|la|todo)\b|\b(?:usamos|utilizamos|desplegamos|alojamos|guardamos|almacenamos|soportamos|escribimos|seguimos las|probamos (?:con|contra)|publicamos|nombramos|facturamos|hacemos squash|trabajamos (?:con|en))\b",
    holds=rf"(?:(?:por cierto|y|pero|en este proyecto|aquí)[,:]? )*(?:el|la|los|las|todos los|todas las|nuestr[oa]s?|cada|mi|mis) "
    rf"(?:[^\s,;:!?()]+ ){{0,2}}?{_PART}(?: (?:de|del|para|en|con|a|principal(?:es)?) ?(?:[^\s,;:!?()]+ ){{0,2}}?[^\s,;:!?()]*)? ?(?:no )?{_STANDS}(?!\w)"
    rf"|nuestr[oa]s? (?:[\w-]+ ){{1,3}}?(?:es|son|está|están|corre|se llama|usa|exige|exigen)(?!\w)",
    stands=rf"(?:(?:por cierto|y|pero|(?:en|sobre) (?:el |la |los |las )?[^\s,]+)[,:]? )*(?:el|la|los|las|todos los|todas las|ningún|ninguna|cada) (?!(?:test|tests|prueba|pruebas|página|botón|error|script|consola|pantalla|contenedor)\b)"
    rf"(?:[^\s,;:!?()]+ ){{1,6}}?{_STANDS}(?!\w)|(?:nuestr[oa]s?|mi equipo|mi empresa|para (?:los|las|el|la|todos los) \w+(?: \w+){{0,2}}) .{{3,}}",
    lasts=r"\b(?:solo|sólo|solamente|siempre|nunca|cada|todos|todas|debe|deben|por|hasta|prohibido|obligatorio|mediante|nadie|nada"
    r"|(?:días?|semanas?|mes(?:es)?|años?|horas?))\b|(?<=\w)/(?=\w)|\b\d",
    contrasts=r"(?:,| y)? ?\b(?:no|sino|en lugar|en vez)\b",
    mine=r"\b(?:mi (?:portátil|ordenador|pc|equipo) (?:solo |sólo )?(?:tiene|es)|me llamo|mi nombre es|trabajo (?:en|para|como|con|de) |yo uso |soy (?:el|la|desarrollador\w*|responsable|ingenier\w+|daltónic\w+|parte))",
    points=r"\b(?:(?:el|la) (?:primer\w*|segund\w+|tercer\w*|últim\w+|otr\w+|nuev\w+|viej\w+) \w+|cada vez|captura de pantalla|línea \d+|un (?:botón|error) aquí|una (?:función|errata) aquí)\b",
    passes=r"\b(?:ahora|todavía|aún|ya|acabo de|de momento|por ahora|hoy|primero|enseguida|sigue (?:sin|en|saliendo)|otra vez|espera)\b",
    troubles=r"\b(?:equivocad\w+|incorrect\w+|timeouts?|conflictos?|errores|error|falla|fallan|falló|rot[oa]|se cuelga|bloquead[oa]|no funciona|errata|roj[oa]|verdes?|olvidé|falta|vací[oa]|lent[oa]|problema|list[oa]|mal)\b",
    wonders=r"\b(?:quizás?|tal vez|probablemente|creo que|pienso que|supongo|si (?:tuviéramos|pudiéramos|yo)|podría|parece|habría que|ojalá|ni idea)\b",
    asks=r"(?:[,;]|\s[-\u2013\u2014])?\s*¿?\b(?:(?:y|pero|o) )?(?:puedes|podrías|cómo (?:puedo|se|hago)|qué (?:es|son|hago)|me pregunto|quisiera|me gustaría)\b",
    needs_before=r"(?:esto|eso|ello|él|ella|ellos|ellas|entonces|allí|también|y|pero|así)\b",
)
