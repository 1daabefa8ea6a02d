"""What an HTTP status of a model's service means, and what to do about it."""

from memoryd_actors.model.question import FailureKind, ModelFailed

LONGEST_DETAIL = 200
WAIT = "memoryd tries again by itself."
URL = "Check sidecar.base_url in the configuration."


def refused(  # noqa: PLR0911 - one line per status that has its own way out
    status: int, detail: str, *, model: str, base_url: str, key: str, retry_after: str = ""
) -> ModelFailed:
    """Return why there is no answer; `detail` is what the service says, `key` where the key comes from."""
    detail = f": {' '.join(detail.split())[:LONGEST_DETAIL]}" if detail.strip() else ""

    def failed(kind: FailureKind, message: str, hint: str) -> ModelFailed:
        return ModelFailed(kind, message, hint=hint)

    check = f"Check {key} in the configuration."
    match status:
        case 401:
            return failed("auth", f"the key was not accepted (401){detail}", check)
        case 402:
            return failed(
                "auth", f"the account cannot pay for this (402){detail}", "Look at the account's billing page."
            )
        case 403:
            return failed("auth", f"the key may not use {model} (403){detail}", check)
        case 404:
            hint = "Set sidecar.model to a model that there is; `memoryd model` shows what runs here."
            return failed("model", f"{base_url} knows no model {model!r} (404){detail}", hint)
        case 413:
            hint = "Fewer candidates (recall.judged) make smaller requests."
            return failed("request", f"the request is too large (413){detail}", hint)
        case 429:
            wish = f"; the service asks to wait {retry_after[:20]} s" if retry_after else ""
            return failed("rate_limit", f"the account's rate limit is reached (429){wish}", WAIT)
        case _ if 300 <= status < 400:
            return failed("request", f"{base_url} redirects elsewhere ({status}), which is not followed", URL)
        case _ if status < 500 and status != 408:
            return failed(
                "request", f"the request was rejected ({status}){detail}", f"{URL} sidecar.model may matter, too."
            )
        case _:
            return failed("server", f"the service has trouble ({status}){detail}", WAIT)
