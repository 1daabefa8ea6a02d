"""What speaks against a secret: typed along the keyboard, printed in a manual, denied by its name, made by a clock."""

import uuid

import pytest

from memoryd_actors.redaction import redact
from memoryd_actors.redaction.doubt import DOCUMENTED

from .samples import GOOGLE_KEY, HEX, LOWER, MIXED, drawn
from .samples import uuid as drawn_uuid

CLOCKED = str(uuid.uuid1(node=0x0242AC120002, clock_seq=7))


@pytest.mark.parametrize(
    "text",
    [
        "sk-" + "ant-api03-abcdefgh-12345678-ijklmnop-456789",
        "SLACK_TOKEN=xoxb-1234567890",
        '"token": "xoxb-1234-1234-1234-' + drawn(HEX, 32) + '"',
        "api_key = abc123def456",
    ],
)
def test_what_somebody_typed_along_the_keyboard_is_no_token(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("length", [12, 16, 24, 40, 64])
@pytest.mark.parametrize("alphabet", [HEX + "ghij", LOWER, MIXED], ids=["hexadecimal", "base 36", "base 62"])
def test_what_a_machine_drew_is_hardly_ever_taken_for_typed(alphabet: str, length: int) -> None:
    kept = sum(1 for _ in range(100) if not redact(f"SERVICE_TOKEN={drawn(alphabet, length)}").findings)
    assert kept <= (2 if length > 12 else 6)  # of twelve hexadecimal digits, 15 in 1,000 look typed


def test_a_long_value_beside_a_name_counts_even_where_it_was_typed() -> None:
    assert redact("SNYK_TOKEN=12345678-abcd-abcd-abcd-" + "1234567890ab").findings


@pytest.mark.parametrize("value", sorted(DOCUMENTED))
def test_a_value_that_a_manual_prints_stays(value: str) -> None:
    text = f'token = "{value}" # from the manual'
    assert redact(text).text == text
    assert redact(text.replace(value[3:6], "Zq" + value[4])).text != text


@pytest.mark.parametrize(
    "name", ["fakeToken", "invalid_password", "mockApiKey", "test_non_matching_secret", "dummyKey"]
)
def test_a_name_that_denies_it_is_believed(name: str) -> None:
    text = f'{name} = "{drawn(MIXED, 24)}"'
    assert redact(text).text == text


@pytest.mark.parametrize("name", ["testToken", "sample_password", "staging_api_key", "validToken"])
def test_a_name_that_only_belittles_it_is_not(name: str) -> None:
    assert redact(f'{name} = "{drawn(MIXED, 24)}"').findings


def test_a_uuid_made_of_time_and_address_is_no_secret_and_a_drawn_one_is() -> None:
    assert redact(f"//registry.example/:_authToken={CLOCKED}").findings == ()
    assert redact(f"//registry.example/:_authToken={drawn_uuid()[:14]}4{drawn_uuid()[15:]}").findings


@pytest.mark.parametrize(
    "text",
    [
        f"client_id: {drawn_uuid()}",
        f"report_access_id: {drawn_uuid()}",
        f"client_id = 123456789012-{drawn(LOWER, 12)}.apps.googleusercontent.com",
        f"ssh_key_fingerprint: SHA256:{drawn(MIXED, 43)}",
        f"monkey: {drawn(LOWER, 16)}",
    ],
)
def test_what_ids_hold_in_public_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("text", ["{}", "({})", '["{}", 7]'])
def test_a_google_key_alone_identifies_a_project(text: str) -> None:
    assert redact(text.format(GOOGLE_KEY)).findings == ()


@pytest.mark.parametrize("text", ["use {}", "it worked with {}", "key={}", "請用{}登入", "{}\n(for the maps)"])
def test_a_google_key_beside_a_word_is_a_secret(text: str) -> None:
    assert redact(text.format(GOOGLE_KEY)).text == text.format("[redacted:gcp-api-key]")


def test_of_a_pypi_token_the_end_is_the_secret() -> None:
    beginning = "pypi" + "-AgEIcHlwaS5vcmc" + drawn(MIXED, 40)
    assert redact(f"it looks like {beginning}").findings == ()
    assert redact(f"it looks like {beginning}{drawn(MIXED, 60)}").text == "it looks like [redacted:pypi-token]"
