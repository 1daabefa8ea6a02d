"""German."""

from memoryd_actors.extraction.languages.telling import Telling

_PART = (
    r"(?:\w*(?:api|apis|app|apps|anwendung|anwendungen|server|servern|dienste?|service|services|datenbank|datenbanken|frontend"
    r"|backend|client|clients|gateway|repo|repository|monorepo|paket|pakete|modul|module|bibliothek|branch|branches|zweig"
    r"|konfiguration|config|einstellungen|pipelines?|ci|cluster|queue|worker|scheduler|endpunkte?|endpoint|team|teams|kunden"
    r"|nutzer|benutzer|mandanten|geheimnisse|secrets|zugangsdaten|passwörter|schlüssel|tokens?|logs|metriken|dashboard"
    r"|deployments?|deploys?|releases|builds|migrationen|tickets|flags|staging|produktion|sandbox|konto|umgebung|host|domain"
    r"|oberfläche|webseite|website|doku|dokumentation|richtlinien|konventionen|schema|tabellen?|spalten?|zeitstempel|daten"
    r"|preise|beträge|ids|meldungen|fehlermeldungen|nachrichten|backups?|cache|projekte?|produkt|vertrag|lizenz|code"
    r"|codebasis|tests|commits|reviews|runner|images?|container|jobs|ereignisse|mails|zahlungen|rechnungen|cli|daemon|proxy"
    r"|firewall|vpn|netzwerk|registry|kommentare|variablennamen|firma|büro|chefin|chef))"
)
_STANDS = (
    r"(?:ist|sind|läuft|laufen|liegt|liegen|lauscht|spricht|sprechen|geht|gehen|nutzt|nutzen|benutzt|verwendet|braucht"
    r"|brauchen|gehört|gehören|hat|haben|unterstützt|unterstützen|kommt|kommen|steht|stehen|heißt|heißen|muss|müssen|darf"
    r"|dürfen|besteht|bestehen|enthält|enthalten|wird|werden|folgt|folgen|verlangt|verlangen|speichert)"
)
_NO_HABIT = (
    r"(?:müssen|sollten|sollen|können|könnten|wollen|wollten|haben|hatten|sind|waren|werden|würden|probieren|versuchen|schauen|gucken|sehen"
    r"|wissen|denken|glauben|brauchen|machen|gehen|kommen|kriegen|bekommen|fangen|lassen|reden|sprechen|sagen|warten|fixen|beheben|starten|finden|dürfen)\b"
)
_DEICTIC = (
    r"(?:das|dies|diese[rmns]?|es|den (?:ersten|zweiten|anderen)|die (?:erste|zweite|andere)\w*|dein\w*|du|so|hier)\b"
)
GERMAN = Telling(
    code="de",
    common="in sind hat haben war dass unser unsere kein keine der die das und ist nicht ein eine mit für auf den von zu im dem des wird ich wir du es uns mir bei hier nie immer bitte",
    prefers=rf"^\W*lieber .{{5,80}} als |\b(?:ich|wir) (?:\w+ )?bevorzugen? (?!{_DEICTIC})|\b(?:ich|wir) (?:mag|mögen) (?!{_DEICTIC})\S+"
    r"|\b(?:mein|unser)\w* \w+ (?:will|wollen|möchte|besteht auf|verlangt|hasst|mag|bevorzugt)\b|\b(?:ich|wir) (?:hasse|hassen) (?!das\b|dies)|\b(?:sind|ist) (?:mir|uns) .{0,40}?lieber\b|\b(?:mir|uns) (?:sind|ist) .{2,80}?\blieber\b"
    r"|\b(?:ich|wir) (?:arbeite|arbeiten|nutze|nutzen|schreibe|schreiben|nehme|nehmen|hätte|hätten)\b.{0,60}?\blieber\b"
    r"|\bmein\w* (?:lieblings\w+|vorliebe)|\b(?:ich|wir) .{0,40}?\bam liebsten\b|\bam liebsten (?:nutze|schreibe|arbeite|nehme) (?:ich|wir)\b|\bist (?:mir|uns) zu \w+",
    advises=rf"(?:bitte )?keine?n? (?!ahnung|problem|sorge|angst|fehler|stress|idee)\w+ .{{0,40}}?\b(?:in|im|bei|für|mehr)\b.{{3,}}|(?:bitte |und |auch )*(?:verwende|benutze?|nutze|schreib|schreibe|committe|pushe|nimm|mach|mache|füge) "
    rf"(?:bitte |in \w+ \w+ |in \w+ )?(?!{_DEICTIC})(?:.{{0,60}}?\b(?:keine?n?|nie|niemals|immer|statt|nur|grundsätzlich|überall)\b).{{3,}}"
    r"|(?:bitte )?vermeide (?!das\b|dies|es\b)\S+ .{3,}"
    r"|(?:alle|jede[rs]?|keine?) .{3,50}? (?:soll|sollen|sollten|muss|müssen|darf|dürfen) .{3,}"
    r"|(?!das\b|dies|es\b|wir\b|ich\b|du\b|sie\b|er\b|der\b|die\b|was\b|wie\b|man\b)(?:[\w-]+ ){1,4}?(?:sollen|müssen|dürfen) (?:immer |nie |nicht |nur )?.{5,}",
    decides=rf"\b(?:wir|ich) (?:haben|habe) (?:uns|mich) .{{0,60}}?\bentschieden\b|\b(?:wir|ich) (?:haben|habe) .{{0,60}}?\b(?:beschlossen"
    r"|festgelegt|vereinbart)\b|\bwir (?:bleiben|bleibe) (?:bei|beim) (?!dem\b|der\b|dies)"
    rf"|^\W*(?:ok(?:ay)?[,.]? |also |dann )*(?:lass uns|lasst uns) (?:bei|auf|zu) (?!{_DEICTIC})\S+ .{{0,60}}?\b(?:bleiben|setzen|wechseln|umsteigen)"
    r"|\bwir (?:nehmen(?! hier)|setzen auf|wechseln (?:auf|zu|von)|steigen (?:auf|von)|migrieren (?:auf|zu|von)) (?!das\b|dies|den (?:ersten|zweiten)|die (?:erste|zweite))",
    corrects=r"(?:nein|nee|nö|falsch|stimmt nicht|das stimmt nicht|korrektur|eigentlich|tatsächlich)(?:[,.:;!]| \u2013| -)+ "
    r"(?!(?:ich|du|bitte|lass|mach|warte|das (?:ist ok|passt|geht|klappt)|es (?:ist noch|geht|klappt)|nimm|die andere|das andere|noch)\b)",
    states=r"(?:ist|sind|war|waren|hat|haben|läuft|laufen|liegt|liegen|heißt|gehört|gehören|nutzt|verwendet|steht"
    r"|stehen|braucht|muss|kommt|wird|werden)\b",
    learns=r"\b(?:das (?:eigentliche )?problem|der (?:eigentliche )?fehler|die (?:eigentliche )?ursache|der grund|die lösung|der trick|der fix)"
    r" (?:war|lag)\b(?! in zeile)|\bhat sich (?:herausgestellt|gezeigt)\b|\bstellte sich heraus\b|\b(?:ich|wir) (?:habe|haben) (?:heute )?(?:gelernt|herausgefunden), dass\b"
    r"|\b(?:geholfen|gelöst|behoben) hat(?:te)?\b|\blag (?:es )?(?:letztlich |am ende )?(?:daran, dass|an|am)\b(?! mir\b)|\b(?:gescheitert|fehlgeschlagen|abgestürzt|langsam), weil\b|\bgrund war\b|\bschuld (?:daran )?war(?:en)?\b",
    does=r"\b(?:wir|ich) (?:benutzen|nutzen|verwenden|setzen|deployen|veröffentlichen|speichern|testen gegen|unterstützen|schreiben|folgen"
    r"|arbeiten (?:mit|nach|in)|squashen|rebasen|mergen|betreiben|hosten|liefern|pflegen|rechnen|lagern|legen)\b"
    r"|\b(?:benutzen|nutzen|verwenden|deployen|speichern|schreiben|unterstützen|testen|lagern) wir\b"
    rf"|\b(?!{_NO_HABIT})\w+en wir (?:grundsätzlich|immer|nur|ausschließlich|nie)\b"
    r"|\bfür [^\s,]+(?: [^\s,]+){0,2} gibt es (?:eine?n?|nur|kein\w*) \S+|\bwir sind (?:ein|eine) \w+|\b\w{3,}(?:eln|ern|en) wir (?:nur|ausschließlich|immer|grundsätzlich)\b"
    r"|\bbei uns (?:gibt|heißt|liegt|liegen|läuft|laufen|ist|sind|gilt|wird|werden)\b|\b(?:deployt|released|gemergt|getestet) wird\b"
    r"|\bgibt es (?:keine?n?|nur) \S+ (?:mehr|\S+ mehr)\b",
    holds=rf"(?:(?:übrigens|und|aber|also|auch|in \w+ \w+)[,:]? )*(?:(?:all|alle|jede[rs]?|der|die|das|beide) )?(?:unser\w* |mein\w* )?"
    rf"(?:[^\s,;:!?()]+ ){{0,3}}?{_PART}(?: (?:von|für|in|auf|mit|zu|im|am|der|des) (?:[^\s,;:!?()]+ ){{0,2}}?[^\s,;:!?()]+)? (?:\w+ )?{_STANDS}\b"
    rf"|(?:unser\w*|mein\w*) (?:[\w-]+ ){{1,3}}?(?:ist|sind|läuft|laufen|liegt|liegen|heißt|verlangt|verlangen|nutzt|verwendet)\b",
    stands=rf".{{0,60}}?\bwir (?!{_NO_HABIT})\w+en (?!das\b|dies|es\b|dich\b|mal\b)\S+ \S+|(?!(?:da|hier|das|dies|es|er|sie|wir|ich|du|was|wie|wenn|fehler|zeile|tests?|warum|wer|wo|jetzt|vielleicht)\b)(?:[^\s,;:!?()]+ ){{1,3}}?{_STANDS}\b|(?:(?:übrigens|und|aber|also)[,:]? )*(?:der|die|das|alle|jede[rs]?|keine?) (?!(?:test|tests|seite|button|fehler|skript|ausgabe|konsole|bildschirm)\b)"
    rf"(?:[^\s,;:!?()]+ ){{1,6}}?{_STANDS}\b|(?:unser\w*|bei uns|für \w+(?: \w+){{0,2}}) .{{3,}}",
    lasts=r"\b(?:nur|immer|nie|niemals|jede[nrms]?|alle|muss|müssen|darf|dürfen|pro|bis|solange|ausschließlich|zwingend|grundsätzlich|verboten|erlaubt"
    r"|über|per hand|niemand|keiner|nichts|(?:tage?n?|wochen?|monate?n?|jahre?n?|stunden?))\b|(?<=\w)/(?=\w)|\b\d",
    contrasts=r",? ?(?:und )?\b(?:nicht|statt|sondern|kein\w*)\b",
    mine=r"\b(?:ich heiße|mein name ist|ich arbeite (?:im|in|bei|als|an|am|mit|für) |ich (?:nutze|benutze|verwende) (?!das\b|den\b|die\b|dies|hier\b)"
    r"|ich bin (?:die?|der|für|im team|entwickler\w*|verantwortlich|zuständig|farbenblind)\b|ich (?:betreue|leite|pflege) )",
    points=r"\b(?:(?:der|die|das) (?:erste|zweite|dritte|letzte|andere|linke|rechte|alte|neue)\w* \w+|jedes mal|jedesmal|screenshot|zeile \d+|hier (?:ein|eine|einen) (?:button|funktion|schleife|fehler)|(?:die|der|das) (?:erste|zweite|letzte|andere|linke|rechte) hier)\b",
    passes=r"\b(?:gerade|jetzt|noch|immer noch|wieder|schon|gleich|kurz|erstmal|erst mal|heute|eben|momentan|im moment|vorerst|zuerst|nochmal)\b",
    troubles=r"\b(?:falsche\w*|timeouts?|konflikte?|gescheitert|fehler|kaputt|schlägt|fehlgeschlagen|abstürz\w*|abgestürzt|hängt|geht nicht|klappt nicht|funktioniert nicht|tippfehler"
    r"|rot|grün|vergessen|fehlt|leer|langsam|problem|fertig|falsch)\b",
    wonders=r"\b(?:vielleicht|eventuell|vermutlich|wahrscheinlich|ich glaube|ich denke|ich vermute|wenn wir|falls|könnte|sollten wir|scheint|hoffentlich|keine ahnung)\b",
    asks=r"(?:[,;]|\s[-\u2013\u2014])?\s*\b(?:(?:und|aber|also|oder) )?(?:kannst du|könntest du|würdest du|wie (?:kann|können|soll|sollen|macht)"
    r"|was (?:ist|sind|kann|soll)|soll ich|sollen wir|ist (?:das|es|da)|gibt es da|ich (?:frage mich|will wissen|möchte wissen))\b",
    needs_before=r"(?:das (?:ist|war|hat|wird|geht|kann|muss|soll|liegt|heißt|macht|funktioniert|sind|gilt|passt)|dies|diese[rmns]?|es(?! hat sich)|sie|er|dann|da|dort|beide|auch|und|aber|also|deshalb|deswegen)\b",
)
