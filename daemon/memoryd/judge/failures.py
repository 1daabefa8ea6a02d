"""From what the SDK raises to what the sidecar knows. Imported together with the SDK, not before."""

from collections.abc import Generator
from contextlib import contextmanager

import anthropic
import httpx2

from memoryd.judge.transport import AnswerUnusable
from memoryd_actors.judging.judge import FailureKind, JudgeFailed
from memoryd_actors.memory.budget import Usage

_LONGEST_DETAIL = 200
_WAIT = "memoryd tries again by itself."
_KEY = "Check ANTHROPIC_API_KEY or sidecar.api_key in the configuration."
_URL = "Check sidecar.base_url in the configuration."


@contextmanager
def translated(model: str, base_url: str, unknown: Usage) -> Generator[None]:
    """Raise JudgeFailed for whatever the SDK raises inside; `unknown` is what a broken-off call counts as."""
    try:
        yield
    except anthropic.APIStatusError as exc:
        kind, message, hint = _status(exc, model, base_url)
        raise JudgeFailed(kind, message, hint=hint) from exc
    except anthropic.APIConnectionError as exc:
        raise _connection(exc, model, base_url, unknown) from exc
    except anthropic.AnthropicError as exc:
        # A request that the SDK itself would not send.
        raise JudgeFailed("request", f"the request to {model} could not be made: {exc}", hint=_URL) from exc


def _status(  # noqa: PLR0911 - one line per status that has its own way out
    exc: anthropic.APIStatusError, model: str, base_url: str
) -> tuple[FailureKind, str, str]:
    status = exc.status_code
    detail = _detail(exc)
    match status:
        case 401:
            return "auth", f"the key was not accepted (401){detail}", _KEY
        case 402:
            return "auth", f"the account cannot pay for this (402){detail}", "Look at the account's billing page."
        case 403:
            return "auth", f"the key may not use {model} (403){detail}", _KEY
        case 404:
            hint = "Set sidecar.model to a model that the account has; the default is claude-haiku-5-5."
            return "model", f"{base_url} knows no model {model!r} (404){detail}", hint
        case 413:
            hint = "Fewer candidates (recall.judged) make smaller requests."
            return "request", f"the request is too large (413){detail}", hint
        case 429:
            after = exc.response.headers.get("retry-after", "")
            wish = f"; the service asks to wait {after[:20]} s" if after else ""
            return "rate_limit", f"the account's rate limit is reached (429){wish}", _WAIT
        case _ if 300 <= status < 400:
            return "request", f"{base_url} redirects elsewhere ({status}), which is not followed", _URL
        case _ if status < 500 and status != 408:
            return "request", f"the request was rejected ({status}){detail}", f"{_URL} sidecar.model may matter, too."
        case _:
            return "server", f"the service has trouble ({status}){detail}", _WAIT


def _connection(exc: anthropic.APIConnectionError, model: str, base_url: str, unknown: Usage) -> JudgeFailed:
    cause = exc.__cause__
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout):
        # Nothing was sent, so nothing was spent.
        unknown = Usage()
    kind: FailureKind = "connection"
    message = f"the connection to {base_url} broke: {_name(cause)}"
    hint = f"Is the network up? {_WAIT}"
    if isinstance(cause, AnswerUnusable):
        kind, message, hint = "nonsense", f"{model} sent no usable answer: {cause}", _URL
    elif isinstance(exc, anthropic.APITimeoutError):
        kind, message = "timeout", f"{model} did not answer in time"
    return JudgeFailed(
        kind,
        message,
        hint=hint,
        input_tokens=unknown.input_tokens,
        output_tokens=unknown.output_tokens,
        cost_usd=unknown.cost_usd,
    )


def _detail(exc: anthropic.APIStatusError) -> str:
    said = " ".join((exc.api_message or "").split())
    return f": {said[:_LONGEST_DETAIL]}" if said else ""


def _name(cause: BaseException | None) -> str:
    return type(cause).__name__ if cause is not None else "no reason given"
