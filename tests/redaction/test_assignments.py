"""A name that announces a secret, in every notation; and names and values that only seem to."""

import pytest

from memoryd_actors.redaction import redact

from .samples import LOWER, MIXED, drawn, uuid

VALUE = drawn(LOWER, 9) + "!K7"
TOKEN = drawn(MIXED, 28)


@pytest.mark.parametrize(
    "template",
    [
        "password = '{}'",
        'PASSWORD="{}"',
        "export DB_PASSWORD={}",
        "db_pass: {}",
        '{{"user": "ann", "password": "{}"}}',
        '{{\\"password\\": \\"{}\\"}}',
        "  passwd: '{}'  # rotate",
        'password := "{}"',
        "password => '{}',",
        'val dbPassword: String = "{}"',
        'let password: &str = "{}";',
        "<password>{}</password>",
        "<Password>\n  {}\n</Password>",
        '<add key="ClearTextPassword" value="{}" />',
        'System.setProperty("DB_PASSWORD", "{}");',
        'config.get("password", "{}")',
        'setPassword("{}")',
        'if (password == "{}") {{',
        'if ("{}" === password) {{',
        "tool --password {} --verbose",
        "tool --db-password={} --verbose",
        "app['SECRET'] = '{}'",
        "https://x.example/login?user=ann&password={}&next=1",
        "Server=db;User Id=sa;Password={};Encrypt=yes",
        "- name: DB_PASSWORD\n  value: '{}'",
        '{{"name": "DB_PASSWORD", "value": "{}"}}',
        '{{\\"name\\": \\"DB_PASSWORD\\", \\"value\\": \\"{}\\"}}',
        "db_password: |\n  {}\nuser: ann",
        "db_password: >-\n    {}",
        "DB_PASSWORD=\\\n{}",
        "machine db.example login ann password '{}'",
        'password "{}";',
    ],
)
def test_a_password_is_replaced_in_every_notation_and_nothing_else(template: str) -> None:
    redacted = redact(template.format(VALUE))
    assert redacted.text == template.format("[redacted:password]")


@pytest.mark.parametrize(
    "template",
    [
        "API_KEY={}",
        "apiKey: '{}',",
        '"access_token": "{}"',
        "aws_secret_access_key = {}",
        "X-Api-Key: {}",
        "Authorization: Bearer {}",
        "curl -H 'Authorization: Token {}' https://x.example",
        "//registry.example/:_authToken={}",
        "AccountName=x;AccountKey={}==;EndpointSuffix=y",
        "--softlayer-api-key {}",
        "SNYK_TOKEN ?= '{}'",
        "sonar.login={}",
    ],
)
def test_a_token_is_replaced_in_every_notation(template: str) -> None:
    redacted = redact(template.format(TOKEN))
    assert TOKEN not in redacted.text
    assert redacted.text.startswith(template.partition("{}")[0])
    assert len(redacted.findings) == 1


@pytest.mark.parametrize("name", ["API_TOKEN", "client_secret", "_authToken"])
def test_a_uuid_is_a_secret_where_its_name_says_so(name: str) -> None:
    assert redact(f"{name}={uuid()}").findings != ()


@pytest.mark.parametrize("value", ["letmein", "swordfish", "correcthorse"])
def test_a_plain_word_is_a_password_where_only_a_value_can_stand(value: str) -> None:
    assert redact(f"DB_PASSWORD={value}").text == "DB_PASSWORD=[redacted:password]"


@pytest.mark.parametrize(
    "line",
    [
        "password = os.environ['DB_PASSWORD']",
        "password = settings.database.password",
        "password = data['password']",
        "password = db.Column(db.String(120), nullable=False)",
        "token = get_token()",
        "const token = await auth.getToken();",
        "def login(user: str, password: str) -> Token:",
        "password: Optional[str] = None",
        "if password == confirm_password:",
        "hashed = bcrypt.hashpw(password.encode('utf-8'), salt)",
        'print(f"token: {token}")',
        'password = f"{user.password_hash}"',
        "api_key=${API_KEY}",
        "api_key: {{ .Values.apiKey }}",
        "password=$DB_PASSWORD",
        "password: <your password>",
        "PASSWORD=%DB_PASSWORD%",
        "api_key: xxxxxxxxxxxxxxxxxxxx",
        "API_KEY=your-api-key-here",
        "password = changeme",
        'password = ""',
        "password: null",
        "secret: true",
        '"password": "********"',
        "Authorization: Bearer <token>",
        "Authorization: Basic ...",
        "password_file=/run/secrets/db",
        "token_url = 'https://x.example/oauth/token'",
        "secretName: my-db-secret",
        "max_tokens=1024",
        "token_count: 15234567",
        "session_token_ttl = 3600s",
        "primary_key = 'a1b2c3d4e5f6g7h8'",
        "cache_key: 'a1b2c3d4e5f6g7h8'",
        "public_key = 'a1b2c3d4e5f6g7h8'",
        '"forgot_password": "Forgot your password?"',
        "password_hint: first pet",
        "author: Ann Smith 1999",
        "secretKeyRef:\n  name: db\n  key: password",
        "you can pass `debug=True` directly",
        "<title>Login Form</title>",
    ],
)
def test_references_placeholders_and_talk_about_secrets_stay(line: str) -> None:
    assert redact(line).text == line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://app:{}@db.example:5432/app", "postgres://app:[redacted:url-credentials]@db.example:5432/app"),
        ("redis://:{}@cache:6379", "redis://:[redacted:url-credentials]@cache:6379"),
        ("curl -u ann:{} https://x.example", "curl -u ann:[redacted:command-credentials] https://x.example"),
        ("mysql -u root -p{} shop", "mysql -u root -p[redacted:command-credentials] shop"),
        ("sshpass -p '{}' ssh box", "sshpass -p '[redacted:command-credentials]' ssh box"),
    ],
)
def test_passwords_in_urls_and_commands_are_replaced(text: str, expected: str) -> None:
    assert redact(text.format(VALUE)).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "https://ann@git.example/repo.git",
        "git@git.example:org/repo.git",
        "http://localhost:8080/a@b",
        "postgres://app:${DB_PASSWORD}@db/app",
        "postgres://app:<password>@db/app",
        "postgres://app:****@db/app",
        "curl -u $USER:$PASS https://x.example",
        "docker run -p 8080:80 nginx",
        "mysql -P 3306 -h db",
    ],
)
def test_urls_and_commands_without_a_password_stay(text: str) -> None:
    assert redact(text).text == text
