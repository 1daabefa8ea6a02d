"""German."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_FROM_NOW_ON = "ab jetzt|ab sofort|von nun an|künftig|in zukunft"
_ALWAYS = rf"immer(?! (?:noch|wieder|mehr|weiter)\b)|nie|niemals|stets|grundsätzlich|{_FROM_NOW_ON}"
_DAS = r"(?:das|dies|dieses|es|das alles|all das)"
_WHEN_DE = (
    r"(?: (?:bitte|mal|doch|auch|immer|künftig|in zukunft|für (?:später|die zukunft|das nächste mal|alle projekte"
    r"|immer)"
    r"|überall|global|in allen (?:meinen |unseren )?projekten|ab jetzt|von nun an|gut|danke|also|ok),?)*"
)
_KOPF = r"im (?:kopf|hinterkopf|gedächtnis|auge)"
_REQUESTS = Requests(
    lead=r"ok|okay|ach|also|und|so|nun|dann|super|danke|perfekt|ja|nein|gut|übrigens|wichtig|hallo|hey|doch|falsch"
    r"|stimmt nicht|noch etwas|noch was|eigentlich",
    please=r"(?:bitte |(?:kannst|könntest|würdest) du (?:bitte )?|ich möchte,? dass du |ich will,? dass du "
    r"|du (?:sollst|"
    r"musst|solltest) )?",
    asks=r"(?:kannst|könntest|würdest) du ",
    after=(
        rf"(?:merke? (?:dir|euch)|merken sie sich|notiere? dir|schreibe? dir auf|denke? (?:bitte )?(?:immer |künftig "
        rf"|in "
        rf"zukunft )?(?:daran|dran)|vergiss (?:bitte )?(?:nie|nicht|niemals)|vergessen sie (?:bitte )?nicht"
        rf"|behalte? (?:bitte )?"
        rf"{_KOPF}|halte? (?:bitte )?fest){_WHEN_DE},? dass (?=\S+ \S)",
        rf"(?:merke? (?:dir|euch)|merken sie sich|merken|notiere? dir|schreibe? dir auf|denke? (?:daran|dran)"
        rf"|speichere?(?: dir)?"
        rf"|vergiss nicht|halte? fest){_WHEN_DE}(?: (?:folgendes|das|dies"
        rf"|diese\w?)(?: \w+){{0,2}})?{_WHEN_DE} ?:(?!//)",
        rf"dir{_WHEN_DE} (?:zu )?(?:merk(?:en|st)|notier(?:en|st)),? dass (?=\S+ \S)",
    ),
    points=(
        rf"merke? (?:dir|euch){_WHEN_DE} {_DAS}",
        rf"merke? dir's|merken sie sich{_WHEN_DE} {_DAS}",
        rf"dir{_WHEN_DE} {_DAS}{_WHEN_DE} merk(?:en|st)",
        rf"(?:{_DAS} )?merken",
        rf"behalte? {_DAS}{_WHEN_DE} {_KOPF}",
        rf"(?:speichere?|notiere?)(?: dir)? {_DAS}(?: ab)?",
        rf"vergiss {_DAS}{_WHEN_DE} (?:nicht|nie)",
        r"denke? (?:immer |künftig )?(?:daran|dran)",
    ),
    tail=_WHEN_DE,
    joins=r"(?:[,;\u2013\u2014-]|\bund)",
    urges=r"bitte|für (?:später|die zukunft|das nächste mal|mich)",
    refers="er|sie|es|das|dies|dieser|diese",
    stems=("merk", "notier", "schreib", "speicher", "denk", "vergiss", "vergess", "behalt", "halt"),
)
_INSTRUCTIONS = Instructions(
    verbs="""antworte antwortet antworten benutze benutzt benutzen verwende verwendet verwenden nutze nutzt nutzen
        schreib schreibe schreibt schreiben formatiere formatieren nenne nennen gib gebt geben zeig zeige zeigen frag
        frage fragt fragen prüfe prüfen teste testet testen füge fügt committe committen commite pushe pushen lösche
        löschen ändere ändern erkläre erklären verweise fasse sprich duze sieze übersetze übersetzen runde führe ausführen
        installiere installieren importiere kommentiere kommentieren dokumentiere dokumentieren vermeide vermeiden
        lass mach""",
    forms=(
        r"du (?:sollst|musst|darfst|solltest) (?:bitte )?(?:immer|nie|niemals|stets) (?:[^\s.!?,;:]+ ){0,6}VERB",
        rf"(?:bitte )?(?:{_ALWAYS})\b[\s,:]*(?:bitte |immer |nie |niemals |nur |auch )*VERB",
        rf"(?:bitte )?(?:{_ALWAYS}) (?:[^\s.!?,;:]+ ){{1,6}}VERB(?=[\s.!]*(?:,|\Z))",
        # `Frage mich immer, ob ...` tells what somebody wonders.
        r"(?!frage? mich (?:immer|nie),? (?:ob|was|warum|wie|wieso|wo|wer)\b)"
        rf"(?:bitte )?VERB (?:[^\s.!?,;:]+ ){{0,4}}(?:{_ALWAYS})\b",
    ),
    idle="auf das dies es ihn sie so wieder mehr noch bitte jetzt hier mich mir uns nein ja nie niemals immer stets grundsätzlich",
)
_WORDINGS = Wordings(
    corrects="nein|falsch|das stimmt nicht|stimmt nicht|korrektur|tatsächlich|eigentlich",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:bitte )?(?:immer|nie|niemals)\b",
        r"du\b.{0,60}?\b(?:sollst|musst|darfst|immer|nie|niemals)\b",
    ),
    prefers=r"(?:ich|wir) (?:bevorzugen?|mögen?|hassen?|mag|will|wollen)\b"
    r"|(?:ich|wir) .{1,80}\b(?:bevorzugen?|mag|lieber|vorziehen?|will|möchte)\b|ist mir lieber",
    everywhere="in allen (?:meinen |unseren )?projekten|für alle (?:meine |unsere )?projekte",
    everywhere_asked="überall|global",
)

GERMAN = Language("de", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
