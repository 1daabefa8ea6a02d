"""Secrets that sentences hand over, in many languages; and sentences that only talk about secrets."""

import pytest

from memoryd_actors.redaction import redact

W = "hunter" + "2"
S = "Tr0ub4d" + "or&3"
R = "7hGk2LmQ9xZt" + "4RvB1nWc"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"my password is {W}!", W),
        (f"btw the staging db password is {S}, don't share it", S),
        ("My password is sword" + "fish.", "swordfish"),
        (f"The password's {S}", S),
        (f"I changed the password to {S}", S),
        (f"The new password is now: {S}", S),
        (f"password for the router is `{W}x`", W + "x"),
        (f"{W} is my password", W),
        (f"use {S} as the admin password", S),
        (f"log in with admin / {S}", S),
        (f"credentials are bob:{S}", S),
        (f"here are the creds for staging: qa_user / {S}", S),
        (f"user: bob, pass: {W}", W),
        (f"you can ssh in, user deploy and the pw is {S}", S),
        (f"set ADMIN_PW to {S} and restart", S),
        (f"mon mdp c'est {S}", S),
        (f"his password used to be {S}", S),
        ("wifi: FritzBox, password 884422" + "11", "88442211"),
        ("the PIN is 4711", "4711"),
        ("my pin code: 982134", "982134"),
        ("my github password is 'open sesame please'", "open sesame please"),
        ("my passphrase is correct horse battery " + "staple.", "correct horse battery staple"),
        (
            "seed phrase: witch collapse practice feed shame " + "open despair creek",
            "witch collapse practice feed shame open despair creek",
        ),
        ("the api key for the weather service is 8f2kd93jf02" + "kd93j", "8f2kd93jf02kd93j"),
        ("here's the token you asked for: a8Kd92kfLs" + "l20dkfA", "a8Kd92kfLsl20dkfA"),
        (f"the secret we use in staging, {R}, still works", R),
        (f"das Passwort lautet {S}", S),
        (f"Mein Passwort ist {W}.", W),
        (f"unser WLAN-Passwort ist {S}", S),
        (f"Ich habe das Passwort auf {S} geändert.", S),
        (f"Unser Datenbank-Passwort heißt {S}", S),
        (f"Nimm {S} als Passwort", S),
        (f"{S} ist mein Passwort", S),
        (f"Zugangsdaten: admin / {S}", S),
        (f"J'ai changé le mot de passe en {S}", S),
        (f"identifiants : admin / {S}", S),
        (f"{S} est mon mot de passe", S),
        (f"utilise {S} comme mot de passe", S),
        (f"le mot de passe est {S}", S),
        (f"mon mot de passe : {S}", S),
        (f"la contraseña es {S}", S),
        (f"a senha é {S}", S),
        (f"la password è {S}", S),
        (f"het wachtwoord is {S}", S),
        (f"hasło to {S}", S),
        (f"heslo je {S}", S),
        (f"lösenordet är {S}", S),
        (f"salasana on {S}", S),
        (f"şifrem: {S}", S),
        (f"пароль: {S}", S),
        (f"мой пароль — {S}", S),
        (f"كلمة المرور هي {S}", S),
        (f"הסיסמה היא {S}", S),
        (f"mật khẩu là {S}", S),
        (f"我的密码是{S}", S),
        (f"密码：{S}", S),
        (f"パスワードは{S}です", S),
        (f"비밀번호는 {S}입니다", S),
    ],
)
def test_a_secret_in_a_sentence_is_replaced_and_the_sentence_stays(text: str, secret: str) -> None:
    redacted = redact(text)
    assert secret not in redacted.text
    before, _, after = text.partition(secret)
    assert redacted.text.startswith(before.rstrip("'`"))
    assert redacted.text.endswith(after.lstrip("!'`"))


def test_two_passwords_in_one_sentence_are_both_replaced() -> None:
    assert redact(f"the passwords are {W}, {S} and {R}").text == (
        "the passwords are [redacted:password], [redacted:password] and [redacted:password]"
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "my password is wrong",
        "The password is incorrect.",
        "I forgot my password again",
        "my password is not working.",
        "my password is too short.",
        "my password is stored safely.",
        "the password is stored in the vault",
        "the password is case-sensitive",
        "the password is in .env",
        "Password: ",
        "passwords must be at least 8 characters",
        "Our password manager is 1Password",
        "password hashing uses argon2id",
        "Das Passwort ist falsch.",
        "mein Passwort ist abgelaufen.",
        "le mot de passe est incorrect",
        "changez le mot de passe en ligne",
        "das Feld dient als Passwort",
        "Les identifiants sont dans le coffre",
        "use it as token",
        "la contraseña es incorrecta",
        "el token es inválido",
        "the token expired after 3600s",
        "The access token is refreshed every 15m",
        "token bucket algorithm",
        "token #5 is refused",
        "the token is a JWT",
        "We use JWT tokens with RS256",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b fixes the token refresh",
        "the key is 550e8400-e29b-41d4-a716-446655440000 in the cache table",
        "the key is under the mat",
        "the api key is missing",
        "the api key is in config.yaml",
        "the api key rotates on 2024-05-01",
        "our API key is the same as staging's",
        "the secret key is called STRIPE_KEY",
        "the secret is to knead it longer",
        "The secret is out",
        "Pass: 12, Fail: 3",
        "My pass is valid until 2025-01-01",
        "hardware key is a YubiKey5",
        "Passphrase strength matters more than length",
        "password: must contain 1 digit and 1 symbol",
        "my tests pass as expected in version 2",
        "the secret santa list",
        "the passphrase is stored in the keychain on my laptop",
        "pin the version to 1.2.3",
        "pin 3.11.7 in CI",
        "the login test fails at midnight",
        "use OAuth2 as the login",
        "log in as demo@acme with the read-only role",
        "login: demo@acme",
        "Ask Bob for the credentials: bob@example.com",
        "Reset your password here: https://x.example/reset",
        "the opinion of the shopping keyboard player",
    ],
)
def test_a_sentence_about_secrets_stays(sentence: str) -> None:
    assert redact(sentence).text == sentence


@pytest.mark.parametrize("mark", ["", "—", "é", "漢"])
def test_a_sentence_is_understood_whatever_else_the_text_is_written_in(mark: str) -> None:
    assert redact(f"{mark} my password is {S} {mark}").text == f"{mark} my password is [redacted:password] {mark}"
