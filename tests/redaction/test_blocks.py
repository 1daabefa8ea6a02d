"""Secrets that span lines."""

import pytest

from memoryd_actors.redaction import redact

from .samples import MIXED, drawn

BODY = "\n".join(drawn(MIXED, 64) for _ in range(6))


def armoured(kind: str, body: str = BODY) -> str:
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


@pytest.mark.parametrize(
    "kind",
    [
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "EC PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ],
)
def test_a_private_key_is_replaced_as_a_whole(kind: str) -> None:
    assert redact(f"before\n{armoured(kind)}\nafter").text == "before\n[redacted:private-key]\nafter"


def test_a_private_key_inside_json_is_replaced() -> None:
    escaped = armoured("PRIVATE KEY").replace("\n", "\\n")
    assert BODY[:64] not in redact(f'{{"private_key": "{escaped}\\n", "id": 7}}').text


def test_a_key_whose_end_is_missing_is_replaced_as_far_as_it_goes() -> None:
    text = f"look:\n-----BEGIN RSA PRIVATE KEY-----\n{BODY}"
    assert redact(text).text == "look:\n[redacted:private-key]"


@pytest.mark.parametrize("kind", ["PUBLIC KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK", "PGP SIGNATURE"])
def test_public_blocks_stay(kind: str) -> None:
    assert redact(armoured(kind)).findings == ()


def test_a_header_without_a_key_stays() -> None:
    text = "a line with -----BEGIN PRIVATE KEY----- in it."
    assert redact(text).text == text


def test_the_data_of_a_kubernetes_secret_is_replaced_and_its_metadata_stays() -> None:
    manifest = (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  extra: YWRtaW46cGFzc3dvcmQ=\n"
        "stringData:\n  user: annabel\n---\nkind: ConfigMap\ndata:\n  colour: YWRtaW46cGFzc3dvcmQ=\n"
    )
    redacted = redact(manifest).text
    assert "extra: [redacted:kubernetes-secret]" in redacted
    assert "user: [redacted:kubernetes-secret]" in redacted
    assert "name: db" in redacted
    assert "colour: YWRtaW46cGFzc3dvcmQ=" in redacted


def test_an_external_secret_holds_no_secret() -> None:
    manifest = (
        "kind: ExternalSecret\nspec:\n  data:\n    - secretKey: api-key\n      remoteRef:\n        key: my-secrets\n"
    )
    assert redact(manifest).text == manifest


@pytest.mark.parametrize("lead", ["", "> ", "    ", "12: ", "+"])
def test_the_end_of_a_key_that_began_elsewhere_is_replaced(lead: str) -> None:
    tail = "\n".join(f"{lead}{line}" for line in (*BODY.split("\n"), "-----END RSA PRIVATE KEY-----"))
    assert redact(f"The rest:\n{tail}\nThanks.").text == f"The rest:\n{lead}[redacted:private-key]\nThanks."


def test_the_end_of_a_key_in_one_line_is_replaced() -> None:
    tail = BODY.replace("\n", "\\n") + "\\n-----END PRIVATE KEY-----"
    assert redact(f'"{tail}"').text == '"[redacted:private-key]"'


@pytest.mark.parametrize(
    "text",
    [
        "It ends with -----END PRIVATE KEY-----.",
        "What does this mean?\n-----END PRIVATE KEY-----",
        "Hello\n-----END PRIVATE KEY-----",
        f"{BODY}\n-----END CERTIFICATE-----",
    ],
)
def test_a_last_line_without_a_key_stays(text: str) -> None:
    assert redact(text).text == text
