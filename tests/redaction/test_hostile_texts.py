"""No text makes redaction slow, and none makes it fail."""

import subprocess
import sys
from pathlib import Path

import pytest

from memoryd_actors.redaction import redact

from .hostile import UNITS
from .samples import MIXED, drawn

BLOW_UP_S = 90
"""A quadratic rule needs minutes for one of these texts; all of them together take a few seconds."""


@pytest.mark.slow
def test_no_repeated_piece_makes_any_rule_blow_up() -> None:
    script = Path(__file__).with_name("hostile.py")
    done = subprocess.run(
        [sys.executable, str(script), "30000"], timeout=BLOW_UP_S, capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == len(UNITS)


def test_a_megabyte_with_one_secret_loses_the_secret_and_nothing_else() -> None:
    token = "gh" + "p_" + drawn(MIXED, 36)
    filler = "We walked along the river and talked about the house. " * 9_300
    redacted = redact(f"{filler}{token} {filler}")
    assert redacted.text == f"{filler}[redacted:github-token] {filler}"


def test_nul_lone_surrogates_and_other_scripts_pass_through() -> None:
    text = "a\x00b \ud800 \U0001f600 İstanbul naïve Ωμέγα 漢字 \u202e"
    assert redact(text).text == text
    token = "gh" + "p_" + drawn(MIXED, 36)
    assert redact(f"İ\x00\ud800 {token} İ").text == "İ\x00\ud800 [redacted:github-token] İ"


def test_a_capital_i_with_dot_does_not_shift_what_is_replaced() -> None:
    assert redact("İİİİ password=hunter" + "2x İ").text == "İİİİ password=[redacted:password] İ"


def test_a_very_long_value_is_replaced_to_its_end() -> None:
    value = drawn(MIXED, 50) * 1_000
    assert redact(f"API_KEY={value} next").text == "API_KEY=[redacted:token] next"
