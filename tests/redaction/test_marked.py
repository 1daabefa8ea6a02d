"""Secrets set apart by marks or a word, and the same forms around what is none."""

import pytest

from memoryd_actors.redaction import redact

HEX = "7c1e8d6c5b4a39f81706f5e2d3c9b1a0"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("**Password:** hunter2xyz", "hunter2xyz"),
        ("**Password:** `hunter2!!`", "hunter2!!"),
        ("**Password**: hunter2xyz", "hunter2xyz"),
        ("__Passphrase__: Blume77x", "Blume77x"),
        ("*password*: `Blume77x`", "Blume77x"),
        ("`password`: Blume77x", "Blume77x"),
        (f"- **API key:** `{HEX}`", HEX),
        (f"* **Token**: {HEX}", HEX),
        ("| password | Blume77!x |", "Blume77!x"),
        (f"| api key | `{HEX}` | prod |", HEX),
        ("| **Password** | Blume77x |", "Blume77x"),
        ("<b>password</b>: hunter2xyz", "hunter2xyz"),
        ("<strong>Password:</strong> hunter2xyz", "hunter2xyz"),
        ("<td>Password</td><td>hunter2xyz</td>", "hunter2xyz"),
        (f"use api key {HEX} for the mirror", HEX),
        (f"with token {HEX} it works", HEX),
        (f"we sent the secret {HEX} by mail", HEX),
        ("Bearer Zk29dLmQp7RtVw4Zs8Yb3Nc6Hf1Gj5", "Zk29dLmQp7RtVw4Zs8Yb3Nc6Hf1Gj5"),
        (f"secret_key_base {HEX}", HEX),
        ("log in with user bob and pass s3cr3tpw", "s3cr3tpw"),
        ("log in with user bob and password s3cr3tpw.", "s3cr3tpw"),
        ("bob's password? It's Qwerty!99.", "Qwerty!99"),
        ("Password for staging = 'a b c d!'", "a b c d!"),
        ("password for the mirror: Blume77x", "Blume77x"),
        ("Passwort für staging: Blume77x", "Blume77x"),
    ],
)
def test_the_value_goes_and_what_stands_around_it_stays(text: str, secret: str) -> None:
    kept = redact(text).text
    assert secret not in kept
    before, _, after = text.partition(secret)
    assert kept.startswith(before)
    assert kept.endswith(after[-1:])


@pytest.mark.parametrize(
    "text",
    [
        "**Password:** required, at least 12 characters",
        "**Token:** see the vault",
        "**Passwords** are hashed with argon2.",
        "| password | string | yes |",
        "| token | the session's token | 2026-03-01 |",
        "| api key | required |",
        "<b>password</b>: <input type='password'>",
        "use api key authentication for the mirror",
        "with token refresh it works, and with secret rotation too",
        "Bearer authentication is used since v2.1.0.",
        "The tests and pass rates are in the table: and pass 12 of 14.",
        "Is it the password? It's wrong.",
        "password for staging: ask Ada",
        "The key of the map is in key 2026-01-02.",
        f"The commit with key changes is {HEX}.",
    ],
)
def test_what_only_talks_about_secrets_stays_as_it_is(text: str) -> None:
    assert redact(text).text == text
