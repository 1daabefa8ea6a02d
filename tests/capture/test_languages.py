"""Requests and standing instructions in the languages beside English: what they are, and what only looks like them."""

import pytest

from memoryd_actors.capture import explicit, standing_instruction
from memoryd_actors.capture.languages import LANGUAGES

BEFORE = "The staging database listens on port 5433."

ASKED = [
    ("Keep in mind we use pnpm here.", "we use pnpm here."),
    ("Guarda en memoria: usamos pnpm.", "usamos pnpm."),
    # Portuguese
    ("Lembre-se de que a base de staging está na porta 5433.", "a base de staging está na porta 5433."),
    ("Lembra que a API tem limite de requisições.", "a API tem limite de requisições."),
    ("Por favor, lembre que fazemos deploy às terças.", "fazemos deploy às terças."),
    ("Você pode lembrar que eu prefiro tabs?", "eu prefiro tabs"),
    ("Não se esqueça de que o CI precisa do Node 20.", "o CI precisa do Node 20."),
    ("Não esqueça que o CI precisa do Node 20.", "o CI precisa do Node 20."),
    ("Tenha em mente que o servidor fica em Lisboa.", "o servidor fica em Lisboa."),
    ("Anote aí: o deploy é às terças.", "o deploy é às terças."),
    ("Guarda isto: a base de dados está na porta 5433.", "a base de dados está na porta 5433."),
    ("Fazemos deploy às terças. Lembre-se disso.", "Fazemos deploy às terças."),
    ("Fazemos deploy às terças. Não te esqueças disso.", "Fazemos deploy às terças."),
    ("Guarde isso, por favor", BEFORE),
    ("Lembra disso pra mim: a chave fica no cofre.", "a chave fica no cofre."),
    ("Tenha em conta que usamos pnpm aqui.", "usamos pnpm aqui."),
    # Dutch
    ("Onthoud dat de staging-database op poort 5433 draait.", "de staging-database op poort 5433 draait."),
    ("Onthoud alsjeblieft: we deployen op dinsdag.", "we deployen op dinsdag."),
    ("Kun je onthouden dat ik tabs gebruik?", "ik tabs gebruik"),
    ("Vergeet niet dat de CI Node 20 nodig heeft.", "de CI Node 20 nodig heeft."),
    ("Hou er rekening mee dat de API traag is.", "de API traag is."),
    ("Houd in gedachten dat de API traag is.", "de API traag is."),
    ("We deployen op dinsdag. Onthoud dat.", "We deployen op dinsdag."),
    ("We deployen op dinsdag, onthoud dat alsjeblieft.", "We deployen op dinsdag"),
    ("Sla dit op in je geheugen", BEFORE),
    ("Noteer het volgende: geen deploy op vrijdag.", "geen deploy op vrijdag."),
    # Polish
    ("Zapamiętaj, że baza staging działa na porcie 5433.", "baza staging działa na porcie 5433."),
    ("Pamiętaj, że wdrażamy we wtorki.", "wdrażamy we wtorki."),
    ("Czy możesz zapamiętać, że wolę tabulatory?", "wolę tabulatory"),
    ("Nie zapomnij, że CI wymaga Node 20.", "CI wymaga Node 20."),
    ("Miej na uwadze, że API jest wolne.", "API jest wolne."),
    ("Zapamiętaj: nie wdrażamy w piątki.", "nie wdrażamy w piątki."),
    ("Wdrażamy we wtorki. Zapamiętaj to.", "Wdrażamy we wtorki."),
    ("Zapamiętaj to, proszę", BEFORE),
    ("Pamiętaj, żeby zawsze uruchamiać testy", "zawsze uruchamiać testy"),
    # Russian
    ("Запомни, что база staging на порту 5433.", "база staging на порту 5433."),
    ("Пожалуйста, запомните, что мы деплоим по вторникам.", "мы деплоим по вторникам."),
    ("Не забудь, что порт 8080.", "порт 8080."),
    ("Запомни: по пятницам не деплоим.", "по пятницам не деплоим."),
    ("Запомни, мы используем табы.", "мы используем табы."),
    ("Можешь запомнить, что я предпочитаю табы?", "я предпочитаю табы"),
    ("Имей в виду, что API медленный.", "API медленный."),
    ("Не забудь, что для CI нужен Node 20.", "для CI нужен Node 20."),
    ("Учти, что сервер находится в Омске.", "сервер находится в Омске."),
    ("Мы деплоим по вторникам. Запомни это.", "Мы деплоим по вторникам."),
    ("Сохрани это в памяти.", BEFORE),
    # Japanese
    ("ステージングのDBはポート5433だと覚えておいて。", "ステージングのDBはポート5433だ"),
    ("私はタブ派だということを覚えておいてください。", "私はタブ派だ"),
    ("デプロイは火曜日です。これを覚えておいてください。", "デプロイは火曜日です。"),
    ("覚えておいて：デプロイは毎週火曜日です。", "デプロイは毎週火曜日です。"),
    ("CIにはNode 20が必要なことを忘れないでください。", "CIにはNode 20が必要な"),
    ("APIのポートは8080です。メモしておいて。", "APIのポートは8080です。"),
    ("これを覚えておいてください", BEFORE),
    ("覚えておいてください。デプロイは火曜日だけです。", "デプロイは火曜日だけです。"),
    ("覚えといて、うちはpnpmを使ってる。", "うちはpnpmを使ってる。"),
    # Chinese
    ("帮我记一下，我们用的是pnpm。", "我们用的是pnpm。"),
    ("请记住，我们的API跑在8080端口。", "我们的API跑在8080端口。"),
    ("别忘了端口是8080。", "端口是8080。"),
    ("帮我记一下：数据库叫orion。", "数据库叫orion。"),
    ("记住：周五不部署。", "周五不部署。"),
    ("记住我们用的是pnpm。", "我们用的是pnpm。"),
    ("别忘了，CI需要Node 20。", "CI需要Node 20。"),
    ("我们每周二部署。请记住这一点。", "我们每周二部署。"),
    ("我们每周二部署，记住了吧。", None),
    ("把这个记下来", BEFORE),
    ("請記住：測試資料庫在5433埠。", "測試資料庫在5433埠。"),
]


@pytest.mark.parametrize(("message", "content"), ASKED)
def test_what_is_asked_for_is_found_in_its_own_words(message: str, content: str | None) -> None:
    assert [one.content for one in explicit(message, BEFORE)] == ([content] if content else [])


NOT_ASKED = [
    # Portuguese: questions, tales, tasks, quotations, code.
    "Você se lembra da porta?",
    "Lembra que a gente falou disso ontem?",
    "Lembra quando quebramos a produção?",
    "Eu não me lembro do nome.",
    "Não precisa lembrar disso.",
    "No debes recordar esto.",
    "Lembre-se de rodar os testes.",
    "Guarde o arquivo em /tmp.",
    "Salva o arquivo antes de sair.",
    'Ele disse: "lembre-se de que a porta é 5433".',
    "Renomeie `lembre que` para `anote que`.",
    "```\nlembre que a porta é 5433\n```",
    "Grave os logs em um arquivo.",
    # Dutch
    "Onthoud je dat?",
    "Weet je nog welke poort het is?",
    "Kun je dat onthouden?",
    "Ik kon de naam niet onthouden.",
    "Je hoeft dit niet te onthouden.",
    "Vergeet niet de tests te draaien.",
    "Sla het bestand op als foo.py.",
    "Ik onthoud dat de poort 5433 is.",
    "Hij zei „onthoud dat de poort 5433 is”.",
    "De functie onthoud dat de cache leeg is, staat in cache.py",
    # Polish
    "Pamiętasz, że mieliśmy ten błąd?",
    "Pamiętasz ten port?",
    "Nie pamiętam nazwy.",
    "Pamiętaj, żeby uruchomić testy.",
    "Nie zapisuj tego.",
    "Nie musisz pamiętać o tym.",
    "Zapisz plik jako foo.py.",
    "Nie musisz tego zapamiętywać.",
    "Powiedział: „zapamiętaj, że port to 5433”.",
    # Russian
    "Помнишь, что мы чинили это вчера?",
    "Ты помнишь порт?",
    "Я не помню, что там было.",
    "Помню, что порт 5433.",
    "Не забудь запустить тесты.",
    "Не запоминай это.",
    "Сохрани файл как foo.py.",
    "Он сказал: «запомни, что порт 5433».",
    "Запиши результаты в файл.",
    "Учти ошибки в обработчике.",
    # Japanese
    "ポート番号を覚えていますか？",
    "前に話したこと覚えてる？",
    "名前を覚えていません。",
    "これは覚えなくていいです。",
    "「ポートは5433だと覚えておいて」と言われました。",
    "ログイン状態を記憶する機能を追加して。",
    "覚えておいて、ね。",
    "記一下筆記的功能壞了",
    "テストを忘れないで実行して。",
    "メモリを解放してください。",
    "```\n覚えておいて：ポートは5433\n```",
    # Chinese
    "你还记得端口号吗？",
    "记得上次我们怎么修的吗？",
    "我不记得名字了。",
    "记得跑测试。",
    "记住密码功能坏了。",
    "记住我按钮不起作用。",
    "不用记住这个。",
    "别忘了跑测试",
    "记住这个是什么?",
    "他说“请记住，端口是5433”。",
    "实现“记住我”复选框",
    "把结果保存到文件里。",
    "内存泄漏了，怎么办？",
]


@pytest.mark.parametrize("message", NOT_ASKED)
def test_questions_negations_quotes_and_tales_ask_for_nothing(message: str) -> None:
    assert explicit(message, BEFORE) == ()


@pytest.mark.parametrize(
    ("message", "category"),
    [
        ("Lembre que eu prefiro tabs.", "preference"),
        ("Não, na verdade a porta é 5434. Lembre-se disso.", "correction"),
        ("Onthoud: gebruik altijd tabs.", "rule"),
        ("Onthoud dat ik liever tabs gebruik.", "preference"),
        ("Zapamiętaj, że wolę tabulatory.", "preference"),
        ("Zapamiętaj: nigdy nie pushuj na main.", "rule"),
        ("Запомни, что я предпочитаю табы.", "preference"),
        ("Нет, порт 5434. Запомни это.", "correction"),
        ("Запомни: всегда отвечай по-русски.", "rule"),
        ("タブのほうが好きだと覚えておいて。", "preference"),
        ("覚えておいて：常に日本語で答えて。", "rule"),
        ("请记住，我更喜欢用tab缩进。", "preference"),
        ("记住：以后都用中文回答。", "rule"),
        ("Merk dir: antworte immer auf Deutsch.", "rule"),
    ],
)
def test_the_category_follows_from_the_words(message: str, category: str) -> None:
    assert [one.category for one in explicit(message)] == [category]


@pytest.mark.parametrize(
    "message",
    [
        "Onthoud dit voor alle projecten: gebruik tabs.",
        "Запомни во всех проектах: мы используем табы.",
        "请记住，所有项目都用pnpm。",
        "Lembre que em todos os meus projetos usamos pnpm.",
    ],
)
def test_what_is_said_of_every_project_holds_in_every_project(message: str) -> None:
    assert [one.everywhere for one in explicit(message)] == [True]


INSTRUCTIONS = [
    "Never use npm.",
    "You must always answer in German.",
    "Du sollst immer auf Deutsch antworten.",
    "Tu dois toujours répondre en français.",
    "Ne tutoie jamais le client.",
    "Siempre debes responder en español.",
    "Use pnpm instead of npm from now on.",
    "Antworte immer auf Deutsch.",
    "Antworte bitte ab jetzt auf Deutsch.",
    "Benutze nie Tabs.",
    "Schreib Commit-Nachrichten immer auf Englisch.",
    "Immer erst die Tests ausführen, nie ohne Tests committen.",
    "Nie direkt auf main pushen.",
    "Réponds toujours en français.",
    "N'utilise jamais npm.",
    "Ne pousse jamais sur main.",
    "Ne jamais modifier le fichier généré.",
    "Toujours répondre en français.",
    "Nunca uses npm.",
    "Responde siempre en español.",
    "No uses nunca npm.",
    "Usa siempre pnpm.",
    "Rispondi sempre in italiano.",
    "Non usare mai npm.",
    "Responda sempre em português.",
    "Nunca use npm.",
    "Use sempre pnpm.",
    "Não use mais npm.",
    "A partir de agora, responda em português.",
    "Antwoord altijd in het Nederlands.",
    "Gebruik nooit npm.",
    "Gebruik voortaan pnpm.",
    "Odpowiadaj zawsze po polsku.",
    "Nigdy nie używaj npm.",
    "Zawsze uruchamiaj testy przed commitem.",
    "Отвечай всегда на русском.",
    "Всегда отвечай на русском языке.",
    "Никогда не используй npm.",
    "常に日本語で答えてください。",
    "今後は必ず日本語で回答してください。",
    "コミットメッセージは常に英語で書いてください。",
    "絶対にmainブランチに直接プッシュしないでください。",
    "以后请用中文回答。",
    "始终使用pnpm。",
    "永远不要使用npm。",
    "每次提交前都要先跑测试。",
]


@pytest.mark.parametrize("message", INSTRUCTIONS)
def test_a_message_that_only_instructs_is_a_standing_instruction(message: str) -> None:
    captured = standing_instruction(message)
    assert captured is not None
    assert (captured.content, captured.category) == (message, "rule")


NO_INSTRUCTIONS = [
    "Never say never.",
    "Always say yes!",
    "Never run this again.",
    "Antworte immer.",
    "You should always be careful.",
    "Keep in mind the deadline.",
    "Du musst immer alles besser wissen.",
    "Antworte auf die Mail von Ana.",
    "Teste immer noch den Login.",
    "Frage mich immer, warum das so langsam ist.",
    "Ich benutze nie Tabs, aber egal.",
    "Zeig mir den Code, der immer abstürzt.",
    "Das stürzt immer ab.",
    "Gib nie auf!",
    "Il utilise toujours l'ancienne version.",
    "Ça ne marche jamais.",
    "Réponds à cette question.",
    "Teste toujours pas, ça plante.",
    "Siempre da error.",
    "Siempre muestra el mismo error.",
    "Nunca responde, da 500.",
    "¿Usa siempre el mismo puerto?",
    "Siempre me pasa lo mismo.",
    "Usa sempre la versione vecchia.",
    "Non funziona mai.",
    "Sempre dá erro 500.",
    "Nunca responde, dá timeout.",
    "Usa sempre a mesma porta, por isso falha.",
    "Het werkt nooit.",
    "Antwoord op deze vraag.",
    "Gebruik je altijd tabs?",
    "To nigdy nie działa.",
    "Odpowiedz na to pytanie.",
    "Это никогда не работает.",
    "Ответь на вопрос.",
    "Он всегда отвечает ошибкой 500.",
    "常にエラーになるので確認してください。",
    "必ず失敗します。",
    "いつも使っているエディタは何ですか？",
    "今回は必ずテストを実行してください。",
    "总是报错，帮我检查一下。",
    "每次运行都失败。",
    "为什么总是使用旧版本？",
    "请用中文解释这段代码。",
]


@pytest.mark.parametrize("message", NO_INSTRUCTIONS)
def test_tales_tasks_and_descriptions_are_no_standing_instructions(message: str) -> None:
    assert standing_instruction(message) is None


def test_every_language_has_its_own_tables() -> None:
    assert len({one.code for one in LANGUAGES}) == len(LANGUAGES) == 11
    for one in LANGUAGES:
        assert all("VERB" in form or not one.spaced for form in one.instructions.forms)
