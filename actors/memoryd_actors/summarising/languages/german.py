"""German."""

from memoryd_actors.summarising.languages.ending import Ending

GERMAN = Ending(
    code="de",
    done=r"erledigt|behoben|gelöst|fertig|ergänzt|entfernt|verschoben|umbenannt|aktualisiert|angelegt|erstellt|deployt|gemergt"
    r"|committet|gepusht|veröffentlicht|migriert|umgestellt|ersetzt|installiert|eingerichtet|eingebaut|geschrieben|angepasst"
    r"|geändert|gelöscht|korrigiert|hinzugefügt|getestet|abgeschlossen|durchgelaufen|repariert|aufgeteilt|umgebaut"
    r"|(?:läuft|laufen|geht|funktioniert|klappt) (?:jetzt|wieder|nun|durch)|sind (?:alle )?grün|ist grün",
    failed=r"(?:immer noch|noch immer) \w+|(?:geht|klappt|funktioniert|läuft) (?:\w+ )?nicht|nicht (?:gelöst|behoben|fertig)"
    r"|fehlgeschlagen|schlägt (?:\w+ )*fehl|schlagen (?:\w+ )*fehl|hat nicht geholfen|(?:gleiche[rn]?|derselbe|selbe[rn]?) fehler"
    r"|bleibt offen|konnte (?:\w+ )*nicht",
    confirmed=r"(?:läuft|geht|klappt|funktioniert)(?: jetzt| wieder| nun)?|das war's|alles grün|passt jetzt",
    decided=r"(?:haben|habe) .{0,80}(?:entschieden|beschlossen|vereinbart)|abgemacht|lass uns|wir (?:nehmen|bleiben)",
    planned=r"ich werde|werde ich|wird|werden|sollten?|könnten?|kann|kannst|wenn|falls|sobald|bevor|muss|müssen|bitte|als nächstes"
    r"|will|möchte|ob|wie",
    negated=r"nicht|kein\w*|nie|niemals",
    conditions="wenn|falls|sobald|nachdem|bevor",
    own="(?:ok(?:ay)?,? |so,? )*(?:ich|wir|hab\\w*|alles|der build|die tests|es)",
    limits="aber|außer|nur manchmal|manchmal",
)
