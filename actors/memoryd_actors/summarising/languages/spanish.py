"""Spanish."""

from memoryd_actors.summarising.languages.ending import Ending

SPANISH = Ending(
    code="es",
    acts=r"(?:arreglad|corregid|resuelt|añadid|agregad|eliminad|movid|renombrad|actualizad|cread|desplegad|fusionad|publicad|migrad"
    r"|reemplazad|instalad|configurad|ajustad|cambiad|probad|reparad|terminad|escrit|encontrad|aumentad|reducid|subid)[oa]s?",
    done=(
        r"(?:he|hemos) (?:[^\s,;:]+ ){0,2}?ACT",
        r"(?:se ha|se han|ha sido|han sido|fue|fueron|ya está|ya están|queda|quedó|quedaron) (?:[^\s,;:]+ )?ACT",
        r"(?:pruebas|tests|build|todo) (?:ya )?(?:pasan?|está en verde|están en verde)(?: ahora| ya)?",
        r"(?:ya|ahora) funcionan?|funcionan? (?:ahora|ya|otra vez)",
    ),
    opens="hecho|listo|arreglado|corregido|resuelto|añadido|eliminado|desplegado|fusionado|renombrado",
    failed=r"sigue (?:sin|fallando|roto|igual|saliendo)|no (?:funciona|ha funcionado|pasa|sirve|se pudo)|mismo error|no (?:he|hemos) (?:podido|logrado|conseguido|encontrado)|falló|fallan"
    r"|fallaron|falla",
    confirmed=r"(?:ya |ahora )?funciona(?: ya| ahora)?|solucionado|todo (?:en )?verde|ya está",
    decided=r"hemos (?:decidido|acordado|elegido)|decidimos|acordamos|vamos a (?:usar|quedarnos)|nos quedamos con",
    planned=r"voy a|vamos a|va a|debería|podría|puede|puedes|si|cuando|antes|hay que|debe|quiero|cómo",
    negated=r"no|nunca|todavía no|aún no",
    conditions="si|cuando|después|antes",
    own="(?:vale,? |ok,? )*(?:(?:ya )?(?:he|hemos) (?:arreglado|fusionado|desplegado|subido|resuelto)|todo|las pruebas|los tests)",
    announces=r"(?:(?:claro|vale|ok|ahora|primero)[,!.]? )*(?:voy a|déjame|avísame|dime si|no dudes|quieres que|te gustaría|si (?:quieres|necesitas)|de nada)",
    likely="probablemente|quizás?|tú|tu|usted|en la versión",
    limits="pero|salvo|a veces",
)
