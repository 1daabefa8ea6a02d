"""What a model's service says: what an HTTP status means and what to do about it, and nothing of the account's key."""

import re
from urllib.parse import urlsplit

from memoryd_actors.model.question import ModelFailed

LONGEST_DETAIL = 200
WAIT = "memoryd tries again by itself."
URL = "Check sidecar.base_url in the configuration."
_SHORTEST_KEY = 12
"""Characters. What local servers want for a key, `x` or `none`, is none, and stands in any text."""
_SECONDS = re.compile(r"\d{1,7}(?:\.\d{1,3})?", re.ASCII)


def unkeyed(text: str, secret: str) -> str:
    """Return what a service says without the account's key, which it may repeat."""
    return text.replace(secret, "[the key]") if len(secret) >= _SHORTEST_KEY else text


def refused(  # noqa: PLR0911 - one line per status that has its own way out
    status: int, detail: str, *, model: str, base_url: str, key: str, secret: str, retry_after: str = ""
) -> ModelFailed:
    """Return why there is no answer; `detail` is what the service says, `key` where the `secret` one comes from.

    A service may repeat the key that it does not accept: it is shown nowhere.
    """
    detail = unkeyed(detail, secret)
    detail = f": {' '.join(detail.split())[:LONGEST_DETAIL]}" if detail.strip() else ""
    check = f"Check {key} in the configuration."
    match status:
        case 401:
            return ModelFailed("auth", f"the key was not accepted (401){detail}", hint=check)
        case 402:
            hint = "Look at the account's billing page."
            return ModelFailed("auth", f"the account cannot pay for this (402){detail}", hint=hint)
        case 403:
            return ModelFailed("auth", f"the key may not use {model} (403){detail}", hint=check)
        case 404:
            hint = "Set sidecar.model to a model that there is; `memoryd model` shows what runs here."
            if not urlsplit(base_url).path.strip("/"):
                hint = f"Most servers want /v1 at its end: sidecar.base_url = {base_url}/v1. Where it is right: {hint}"
            return ModelFailed("model", f"{base_url} knows no model {model!r} (404){detail}", hint=hint)
        case 413:
            hint = "Fewer candidates (recall.judged) make smaller requests."
            return ModelFailed("request", f"the request is too large (413){detail}", hint=hint)
        case 429:
            wish = f"; the service asks to wait {retry_after} s" if _SECONDS.fullmatch(retry_after) else ""
            return ModelFailed("rate_limit", f"the account's rate limit is reached (429){wish}", hint=WAIT)
        case _ if 300 <= status < 400:
            return ModelFailed("request", f"{base_url} redirects elsewhere ({status}), which is not followed", hint=URL)
        case _ if status < 500 and status != 408:
            hint = f"{URL} sidecar.model may matter, too."
            return ModelFailed("request", f"the request was rejected ({status}){detail}", hint=hint)
        case _:
            return ModelFailed("server", f"the service has trouble ({status}){detail}", hint=WAIT)
