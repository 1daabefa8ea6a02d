"""Tokens of known vendors."""

import pytest

from memoryd_actors.redaction import redact

from .samples import HEX, MIXED, TOKENS, Sample, drawn, uuid


def _id(sample: Sample) -> str:
    return sample.rule


@pytest.mark.parametrize("sample", TOKENS, ids=_id)
@pytest.mark.parametrize(
    "template",
    ["it worked with {} yesterday, look", '["a", "{}", 7]', "({})", "請用{}登入", "see `{}`.", "x={}&y=2", "{}"],
)
def test_a_token_becomes_a_marker_and_its_surroundings_stay(sample: Sample, template: str) -> None:
    redacted = redact(template.format(sample.token))
    assert redacted.text == template.format(f"[redacted:{sample.rule}]")
    assert [finding.rule for finding in redacted.findings] == [sample.rule]


@pytest.mark.parametrize("sample", TOKENS, ids=_id)
def test_a_finding_points_at_the_token_in_the_text_that_was_given(sample: Sample) -> None:
    text = f"first {sample.token} then {sample.token}"
    findings = redact(text).findings
    assert [text[finding.start : finding.end] for finding in findings] == [sample.token, sample.token]


def test_a_format_names_the_finding_even_where_an_assignment_announces_it() -> None:
    token = "gh" + "p_" + drawn(MIXED, 36)
    assert redact(f'GITHUB_TOKEN="{token}"').text == 'GITHUB_TOKEN="[redacted:github-token]"'


CUT = (
    Sample("anthropic-key", "sk-" + "ant-api03-" + drawn(MIXED, 80)),
    Sample("anthropic-key", "sk-" + "ant-api03-" + drawn(MIXED, 20)),
    Sample("anthropic-key", "sk-" + "ant-" + drawn(MIXED, 20)),
    Sample("anthropic-key", "sk-" + "ant-admin01-" + drawn(MIXED, 120)),
    Sample("openai-key", "sk-" + "proj-" + drawn(MIXED, 60)),
    Sample("openrouter-key", "sk-" + "or-v1-" + drawn(HEX, 30)),
    Sample("github-token", "gh" + "p_" + drawn(MIXED, 25)),
    Sample("github-token", "github" + "_pat_" + drawn(MIXED, 22) + "_" + drawn(MIXED, 20)),
    Sample("huggingface-token", "hf" + "_" + drawn(MIXED, 24)),
    Sample("npm-token", "np" + "m_" + drawn(MIXED, 24)),
    Sample("vault-token", "hv" + "s." + drawn(MIXED, 24)),
)


@pytest.mark.parametrize("sample", CUT, ids=_id)
@pytest.mark.parametrize("template", ["the key is {}", "export X={}", "export X='{}'", "see {}, please"])
def test_a_token_that_is_cut_is_known_by_its_beginning(sample: Sample, template: str) -> None:
    assert redact(template.format(sample.token)).text == template.format(f"[redacted:{sample.rule}]")


@pytest.mark.parametrize("spelt", ["DuMmy", "tOdO", "yoUr", "FaKe"])
def test_a_drawn_token_that_spells_a_placeholder_by_chance_is_one_still(spelt: str) -> None:
    token = "sk-" + "ant-api03-" + drawn(MIXED, 20) + spelt + drawn(MIXED, 28 - len(spelt))
    assert redact(f"the key is {token}").text == "the key is [redacted:anthropic-key]"


@pytest.mark.parametrize(
    "masked",
    [
        "gh" + "p_" + "x" * 36,
        "sk" + "_live_" + "X" * 24,
        "AK" + "IAIOSFODNN7" + "EXAMPLE",
        "AI" + "zaSy" + "abcdefghijklmnopqrstuvwxyz1234567",
        "hv" + "s." + "x" * 95,
        "da" + "pi" + "0" * 32,
        "sk-" + "ant-api03-" + "x" * 80,
        "sk-" + "ant-your-api-key-goes-here",
        "sk-" + "ant-YOUR_ANTHROPIC_API_KEY",
        "sk-" + "ant-api03-...",
        "sk-" + "proj-management-for-small-teams-2024",
        "npm" + "_config_registry_url_1234567890ab",
    ],
)
def test_a_masked_token_in_a_manual_stays(masked: str) -> None:
    assert redact(f"it looks like {masked}").findings == ()


@pytest.mark.parametrize(
    "harmless",
    [
        drawn(HEX, 40),
        drawn(HEX, 7),
        uuid(),
        "sha256:" + drawn(HEX, 64),
        "sha512-" + drawn(MIXED, 86) + "==",
        "h1:" + drawn(MIXED, 43) + "=",
        "pk" + "_live_" + drawn(MIXED, 24),
        "ssh-ed25519 AAAA" + drawn(MIXED, 64) + " ann@laptop",
        "data:image/png;base64,iVBOR" + drawn(MIXED, 400),
        "#ff00aa",
        "claude-haiku-4-5-20251001",
        "v18.20.4",
        "node_modules/.pnpm/@babel+core@7.24.5/node_modules/@babel/core/lib/index.js",
        "arn:aws:iam::123456789012:role/deployer",
        "2026-10-21T07:28:00.000Z",
        "gh" + "p_" + drawn(MIXED, 11),
    ],
)
def test_what_only_looks_like_a_token_stays(harmless: str) -> None:
    for text in (harmless, f"look at {harmless} again", f'"id": "{harmless}",'):
        assert redact(text).text == text


@pytest.mark.parametrize("name", ["sessionid", "session", "PHPSESSID", "JSESSIONID", "connect.sid"])
def test_the_value_of_a_session_in_a_cookie_is_replaced(name: str) -> None:
    value = drawn(MIXED, 32)
    assert (
        redact(f"Set-Cookie: {name}={value}; HttpOnly").text
        == f"Set-Cookie: {name}=[redacted:session-cookie]; HttpOnly"
    )
    assert redact("session=interactive-and-long-lived").text == "session=interactive-and-long-lived"


def test_the_signature_of_a_signed_address_is_replaced() -> None:
    signed = "https://bucket.s3.amazonaws.com/a?X-Amz-Expires=60&X-Amz-Signature="
    assert redact(signed + drawn(HEX, 64)).text == signed + "[redacted:aws-signature]"
