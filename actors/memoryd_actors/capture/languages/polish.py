"""Polish."""

from memoryd_actors.capture.languages.language import Instructions, Language, Requests, Wordings

_TO = r"(?:to|to wszystko|o tym|tę informację|te informacje|co (?:ci )?powiedział[ae]m)"
_WHEN = (
    r"(?: (?:proszę|też|również|zawsze|dobrze|na (?:później|przyszłość|następny raz|zawsze)|od teraz|wszędzie"
    r"|we wszystkich (?:moich |naszych )?projektach|dla wszystkich projektów|dzięki|sobie),?)*"
)
_REMEMBER = (
    r"(?:zapamiętaj(?:cie)?|zapamiętać|zapamiętał[ao]?|pamiętaj(?:cie)?|pamiętać|pamiętał[ao]?|miej na uwadze|mieć na uwadze"
    r"|miał[ao]? na uwadze|weź pod uwagę|nie zapomnij(?:cie)?|nie zapominaj(?:cie)?|zanotuj(?:cie)?|zapisz(?:cie)?)"
)
_FROM_NOW_ON = "od teraz|od tej pory|odtąd|w przyszłości|na przyszłość"
_ALWAYS = rf"zawsze|nigdy|{_FROM_NOW_ON}"
_REQUESTS = Requests(
    lead=r"ok|okej|okay|dobra|dobrze|tak|nie(?=[,.;:!])|i|a|więc|no|dzięki|dziękuję|super|świetnie|ważne|hej|cześć|też|również"
    r"|przy okazji|swoją drogą|właściwie|źle|to nieprawda",
    please=r"(?:proszę,? |(?:czy )?(?:możesz|mógłbyś|mogłabyś) (?:proszę )?|(?:chcę|chciałbym|chciałabym|proszę),? (?:że|a)?byś "
    r"|musisz )?",
    asks=r"(?:czy )?(?:możesz|mógłbyś|mogłabyś) ",
    after=(
        rf"{_REMEMBER}{_WHEN},? że (?=\S+ \S)",
        rf"{_REMEMBER}{_WHEN}(?: (?:to|co następuje|następujące \w+))?{_WHEN} ?:(?!//)",
        r"(?:za)?pamiętaj,? (?:żeby|aby|by) (?=(?:zawsze|nigdy)\b)",
    ),
    points=(
        rf"(?:zapamiętaj(?:cie)?|zapamiętać|zapamiętał[ao]?|zanotuj|zapisz){_WHEN} {_TO}(?: w pamięci| do pamięci)?",
        r"(?:to )?zapamiętać",
        r"pamiętaj(?:cie)? o tym|pamiętać o tym|nie zapomnij(?:cie)? o tym|nie zapominaj o tym",
        r"(?:miej|mieć) to na uwadze|weź to pod uwagę",
        r"to zapamiętaj",
    ),
    tail=_WHEN,
    joins=r"(?:[,;\u2013\u2014-]|\bi)",
    urges=r"proszę|na (?:później|przyszłość|następny raz)|dla mnie",
    refers="to|on|ona|ono|oni|one|ten|ta",
    stems=("pamięt", "uwa", "zapom", "zanot", "zapisz"),
)
_INSTRUCTIONS = Instructions(
    verbs="""odpowiadaj odpowiadać odpowiedz używaj używać użyj stosuj stosować pisz pisać formatuj formatować podawaj
        podawać pokazuj pokazywać pytaj pytać sprawdzaj sprawdzać testuj testować dodawaj dodawać dodaj uruchamiaj
        uruchamiać wyjaśniaj tłumacz tłumaczyć usuwaj usuwać zmieniaj zmieniać commituj commitować pushuj pushować
        instaluj instalować importuj komentuj dokumentuj unikaj unikać mów rób róbcie zostawiaj nazywaj""",
    forms=(
        rf"(?:proszę,? )?(?:{_ALWAYS})\b[\s,:]*(?:proszę |zawsze |nigdy |nie |mi )*VERB",
        rf"(?:proszę,? )?VERB (?:mi |proszę )?(?:[^\s.!?,;:]+ ){{0,4}}(?:zawsze|{_FROM_NOW_ON})\b",
        r"(?:proszę,? )?nie VERB (?:[^\s.!?,;:]+ ){0,3}(?:nigdy|więcej)\b",
    ),
    idle="to tego tak znowu więcej tu teraz mi mnie nie nigdy zawsze",
)
_WORDINGS = Wordings(
    corrects="nie|źle|to nieprawda|nieprawda|właściwie|w rzeczywistości|poprawka",
    from_now_on=_FROM_NOW_ON,
    rules=(
        r"(?:proszę,? )?(?:zawsze|nigdy)\b",
        r"(?:musisz|masz|powinieneś|powinnaś|nie wolno ci)\b",
    ),
    prefers=r"wolę|wolimy|preferuję|preferujemy|lubię|lubimy|nie lubię|nie cierpię|nienawidzę",
    everywhere="we wszystkich (?:moich |naszych )?projektach|dla wszystkich projektów",
    everywhere_asked="wszędzie|globalnie",
)
POLISH = Language("pl", _REQUESTS, _INSTRUCTIONS, _WORDINGS)
