"""Spanish."""

from memoryd_actors.summarising.languages.ending import Ending

SPANISH = Ending(
    code="es",
    done=r"hecho|list[oa]|arreglad[oa]s?|corregid[oa]s?|resuelt[oa]s?|añadid[oa]s?|agregad[oa]s?|eliminad[oa]s?|movid[oa]s?"
    r"|renombrad[oa]s?|actualizad[oa]s?|cread[oa]s?|desplegad[oa]s?|fusionad[oa]s?|publicad[oa]s?|migrad[oa]s?|reemplazad[oa]s?"
    r"|instalad[oa]s?|configurad[oa]s?|ajustad[oa]s?|cambiad[oa]s?|probad[oa]s?|pasan|funcionan? (?:ahora|ya|otra vez)"
    r"|ya funcionan?",
    failed=r"sigue (?:sin|fallando|roto|igual|saliendo)|no (?:funciona|ha funcionado|pasa|sirve|se pudo)|mismo error|falló|fallan"
    r"|fallaron|falla",
    confirmed=r"(?:ya |ahora )?funciona(?: ya| ahora)?|solucionado|todo (?:en )?verde|ya está",
    decided=r"hemos (?:decidido|acordado|elegido)|decidimos|acordamos|vamos a (?:usar|quedarnos)|nos quedamos con",
    planned=r"voy a|vamos a|va a|debería|podría|puede|puedes|si|cuando|antes|hay que|debe|quiero|cómo",
    negated=r"no|nunca|todavía no|aún no",
    conditions="si|cuando|después|antes",
    own="(?:vale,? |ok,? )*(?:he|hemos|ya|todo|las pruebas|los tests)",
    limits="pero|salvo|a veces",
)
