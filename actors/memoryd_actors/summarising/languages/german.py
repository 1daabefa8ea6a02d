"""German."""

from memoryd_actors.summarising.languages.ending import Ending

GERMAN = Ending(
    code="de",
    acts=r"behoben|gelöst|ergänzt|entfernt|verschoben|umbenannt|aktualisiert|angelegt|erstellt|deployt|gemergt|committet|gepusht"
    r"|veröffentlicht|migriert|umgestellt|ersetzt|installiert|eingerichtet|eingebaut|geschrieben|angepasst|geändert|gelöscht|korrigiert"
    r"|hinzugefügt|getestet|abgeschlossen|repariert|aufgeteilt|umgebaut|zurückgesetzt|gefunden|erhöht|gesenkt|ausgerollt",
    done=(
        r"(?:ich|wir) (?:habe?n?|hab) (?:[^\s,;:]+ ){0,12}?ACT",
        r"(?:wurden?|ist jetzt|sind jetzt|ist nun|ist|sind) (?:[^\s,;:]+ ){0,6}?(?:ACT|fertig|erledigt|durchgelaufen)",
        r"(?:tests?|build|pipeline|alles|export|import) (?:\w+ )?(?:läuft|laufen|ist|sind) (?:\w+ )?(?:durch|grün)",
        r"(?:läuft|laufen|lädt|geht|funktioniert|klappt|baut|startet) (?:jetzt|wieder|nun)",
    ),
    opens="erledigt|behoben|gelöst|fertig|umbenannt|ergänzt|entfernt|angepasst|geändert|korrigiert|deployt|gemergt|gepusht",
    failed=r"(?:immer noch|noch immer) \w+|(?:geht|klappt|funktioniert|läuft) (?:\w+ )?nicht|nicht (?:gelöst|behoben|fertig)"
    r"|fehlgeschlagen|schlägt (?:\w+ )*fehl|schlagen (?:\w+ )*fehl|hat nicht geholfen|(?:gleiche[rn]?|derselbe|selbe[rn]?) fehler"
    r"|bleibt offen|konnten? (?:\w+ )*nicht|nicht gelungen",
    confirmed=r"(?:läuft|geht|klappt|funktioniert)(?: jetzt| wieder| nun)?|das war's|alles grün|passt jetzt",
    decided=r"(?:haben|habe) .{0,80}(?:entschieden|beschlossen|vereinbart)|abgemacht|lass uns|wir (?:nehmen|bleiben)",
    planned=r"ich werde|werde ich|wird|werden|sollten?|könnten?|kann|kannst|wenn|falls|sobald|bevor|muss|müssen|bitte|als nächstes"
    r"|will|möchte|ob|wie",
    negated=r"nicht|kein\w*|nie|niemals",
    conditions="wenn|falls|sobald|nachdem|bevor",
    own="(?:ok(?:ay)?,? |so,? )*(?:(?:ich |wir )?hab\\w* .{0,40}(?:gemergt|deployt|gepusht|behoben|gelöst)|alles|der build|die tests)",
    announces=r"(?:(?:klar|okay|ok|gut|jetzt|zuerst|gerne)[,!.]? )*(?:ich werde|ich schaue|ich sehe mir|ich prüfe (?:jetzt|das)|lass mich|sag bescheid"
    r"|melde dich|soll ich|möchtest du|wenn du (?:willst|möchtest|noch)|gern geschehen)",
    likely="wahrscheinlich|vermutlich|du|dein\\w*|ihr|in version",
    limits="aber|außer|nur manchmal|manchmal",
)
