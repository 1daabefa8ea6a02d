"""Secrets that no generator of a vendor ever drew, put together at run time: the repository holds none of them."""

import random
import string
from typing import NamedTuple

_random = random.Random(20261021)
LOWER = string.ascii_lowercase + string.digits
MIXED = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
DIGITS = string.digits


def drawn(alphabet: str, length: int) -> str:
    """Return a string as a vendor would draw it: without a long run, with a digit where there are any."""
    while True:
        value = "".join(_random.choices(alphabet, k=length))
        digits = not set(alphabet) & set(DIGITS) or any(char.isdigit() for char in value)
        if digits and not any(char * 3 in value for char in value):
            return value


class Sample(NamedTuple):
    """A token with the name of the rule that is to see it."""

    rule: str
    token: str


def uuid() -> str:
    """Return a random one, of version 4: those of version 1 are no secret to anybody."""
    return f"{drawn(HEX, 8)}-{drawn(HEX, 4)}-4{drawn(HEX, 3)}-a{drawn(HEX, 3)}-{drawn(HEX, 12)}"


def jwt() -> str:
    head, body = "ey" + "J" + drawn(MIXED, 20), "ey" + "J" + drawn(MIXED, 40)
    return f"{head}.{body}.{drawn(MIXED, 43)}"


TOKENS = (
    Sample("anthropic-key", "sk-" + "ant-api03-" + drawn(MIXED, 93) + "AA"),
    Sample("anthropic-key", "sk-" + "ant-oat01-" + drawn(MIXED, 80)),
    Sample("openai-key", "sk-" + "proj-" + drawn(MIXED, 74) + "T3Blbk" + "FJ" + drawn(MIXED, 74)),
    Sample("llm-api-key", "sk-" + drawn(HEX, 32)),
    Sample("huggingface-token", "hf" + "_" + drawn(string.ascii_letters, 34)),
    Sample("groq-key", "gsk" + "_" + drawn(MIXED, 52)),
    Sample("aws-access-key", "AK" + "IA" + drawn(BASE32, 16)),
    Sample("gcp-oauth-secret", "GOC" + "SPX-" + drawn(MIXED, 28)),
    Sample("azure-client-secret", drawn(MIXED, 3) + "8" + "Q~" + drawn(MIXED, 34)),
    Sample("github-token", "gh" + "p_" + drawn(MIXED, 36)),
    Sample("github-token", "github" + "_pat_" + drawn(MIXED, 22) + "_" + drawn(MIXED, 59)),
    Sample("gitlab-token", "gl" + "pat-" + drawn(MIXED, 20)),
    Sample("slack-token", "xo" + "xb-" + "-".join((drawn(DIGITS, 12), drawn(DIGITS, 12), drawn(MIXED, 24)))),
    Sample("stripe-key", "sk" + "_live_" + drawn(MIXED, 24)),
    Sample("stripe-webhook-secret", "wh" + "sec_" + drawn(MIXED, 32)),
    Sample("npm-token", "np" + "m_" + drawn(MIXED, 36)),
    Sample("pypi-token", "pypi" + "-AgEIcHlwaS5vcmc" + drawn(MIXED, 90)),
    Sample("discord-token", "M" + drawn(MIXED, 23) + "." + drawn(MIXED, 6) + "." + drawn(MIXED, 30)),
    Sample("telegram-token", drawn("123456789", 10) + ":A" + "A" + drawn(MIXED, 33)),
    Sample("twilio-key", "S" + "K" + drawn(HEX, 32)),
    Sample("sendgrid-key", "S" + "G." + drawn(MIXED, 22) + "." + drawn(MIXED, 43)),
    Sample("mailgun-key", "ke" + "y-" + drawn(HEX, 32)),
    Sample("databricks-token", "da" + "pi" + drawn(HEX, 32)),
    Sample("digitalocean-token", "do" + "p_v1_" + drawn(HEX, 64)),
    Sample("heroku-key", "HR" + "KU-AA" + drawn(MIXED, 58)),
    Sample("heroku-key", "HR" + "KU-" + "-".join(drawn(HEX, size) for size in (8, 4, 4, 4, 12))),
    Sample("gcp-auth-key", "AQ" + ".Ab8" + drawn(MIXED, 44)),
    Sample("shopify-token", "sh" + "pat_" + drawn(HEX, 32)),
    Sample("square-token", "sq" + "0atp-" + drawn(MIXED, 22)),
    Sample("vault-token", "hv" + "s." + drawn(MIXED, 95)),
    Sample("tailscale-key", "ts" + "key-auth-" + drawn(MIXED, 17) + "-" + drawn(MIXED, 32)),
    Sample("linear-key", "lin" + "_api_" + drawn(MIXED, 40)),
    Sample("notion-token", "nt" + "n_" + drawn(DIGITS, 11) + drawn(MIXED, 35)),
    Sample("hubspot-token", "pat" + "-na1-" + uuid()),
    Sample("postman-key", "PM" + "AK-" + drawn(HEX, 24) + "-" + drawn(HEX, 34)),
    Sample("jwt", jwt()),
    Sample("prefixed-token", "zyx" + "_live_" + drawn(MIXED, 32)),
)
GOOGLE_KEY = "AI" + "za" + drawn(MIXED, 35)
"""No secret by itself: see `doubt.lone`."""
