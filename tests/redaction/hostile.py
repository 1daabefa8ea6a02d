"""Pass texts that were made to be slow through the gate; a process of its own, so that a blow-up can be stopped."""

import sys
from contextlib import suppress
from datetime import UTC, datetime

from memoryd_actors.admission.gate import admit
from memoryd_actors.core.errors import Refused
from memoryd_actors.redaction import Rules, redact
from memoryd_actors.redaction.personal import KINDS
from memoryd_client.wire.caller import Caller
from memoryd_client.wire.memory import MAX_CONTENT_BYTES, NewMemory, Source

CALLER = Caller(project="/p")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
EVERYTHING = Rules(personal_data=frozenset(KINDS))

UNITS = (
    "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN RSA PRIVATE KEY-----\nMIIE", "-----BEGIN ", "-----END ",
    "password=",
    'password "', "password: ", "password='",
    'password="', "token ", "secret", "key", "key ", "a", "aA1", "A1-", "eyJ",
    ".eyJaaaaaaaaaaaaaaa", "+eyJaaaaaaaaaaaaaaa", "://", "://a:", "://a:b@", "=", '"', "'",
    "\\", '\\"', " ", "\n", "\t",
    "curl -u ", "curl -u a:b ", "mysql -p ", "kind: secret\n", "kind: Secret\ndata:\n  a: YWJjZGVmZ2hpamts\n", "x", "_",
    "0123456789abcdef", "QUJD+/", "/", "sk-", "sk-ant-api03-", "xoxb-1234567890-", "SG.aaaaaaaaaaaaaaaaaaaa.", "AKC",
    "password for ", "my password is ", "passphrase is abc def ", "passphrase abc ", "abcd ", "密码是", "密", "пароль ",
    "data:image/png;base64,", "sha256-AAAA", "password=(", "password(", "secret[", "token={", "password\nvalue",
    '"password", ', "https://a/",
    "a.b.", "123456789:AA", "sig=", "s.", "x@password==", '"=="password', "{{", "${", "<",
    "password=\"password='", "[redacted:", "[redacted:jwt]", "-", ".", "password to ", "password x y: ", "creds a ",
    "a as my password ", "A3-AAAAAA-", "a, ", "Private-Lines: 9\n", "Private-Lines: 1\nAAAA\n", "password=hunter2 ",
    "Authorization: ", "Authorization: Basic ", "<token>", "\x00", "\ud800", "\u0130password", "pass", "(", "ENC[",
    "ssh-rsa AAAA", "4 ", "4-4", "DE89 ", "AB12 ", "A1 ", "+49 ", "phone ", "phone 12 ", "@", "a@", "a@b.",
    "219-09-", "#skip ", "<private>", "</private>", "<", "cat .env\n", "# a.b/", "--- a/x\n", "```a.b\n", "I ", "A. ",
    "e.g. ", "; ", "this is ", "the user said ", ". B", "no ", "The ",
)  # fmt: skip


def main(size: int) -> None:
    for unit in UNITS:
        text = (unit * (size // len(unit) + 1))[:size]
        redact(text + '"x"', EVERYTHING)
        for source in (Source.USER, Source.EXTRACTED):
            content = (unit * MAX_CONTENT_BYTES)[: MAX_CONTENT_BYTES // 3] + ' "x" is the end'
            with suppress(Refused):
                admit(NewMemory(content=content, source=source), CALLER, NOW, EVERYTHING)
        sys.stdout.write(f"{unit!a}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
