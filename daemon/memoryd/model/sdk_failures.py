"""From what the SDK raises to why there is no answer. Imported together with the SDK, not before."""

from collections.abc import Generator
from contextlib import contextmanager

import anthropic
import httpx2

from memoryd.model.statuses import URL, refused
from memoryd.model.transport import broken
from memoryd_actors.model.question import ModelFailed


@contextmanager
def translated(model: str, base_url: str, *, key: str, secret: str) -> Generator[None]:
    """Raise ModelFailed for whatever the SDK raises inside; `key` is where the `secret` key comes from."""
    try:
        yield
    except anthropic.APIStatusError as exc:
        after = exc.response.headers.get("retry-after", "")
        raise refused(
            exc.status_code,
            exc.api_message or "",
            model=model,
            base_url=base_url,
            key=key,
            secret=secret,
            retry_after=after,
        ) from exc
    except anthropic.APIConnectionError as exc:
        cause = exc.__cause__ if isinstance(exc.__cause__, httpx2.HTTPError) else None
        raise broken(cause, model=model, base_url=base_url) from exc
    except anthropic.AnthropicError as exc:
        # A request that the SDK itself would not send.
        raise ModelFailed("request", f"the request to {model} could not be made: {exc}", hint=URL) from exc
