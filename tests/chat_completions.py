"""What servers of the chat-completions API answer; `messages_api.MessagesApi` serves it."""

import json

from messages_api import Received, Reply


def completion(
    text: object,
    *,
    finish_reason: str = "stop",
    prompt_tokens: object = 1200,
    completion_tokens: object = 250,
    **message: object,
) -> Reply:
    """A complete answer with this text."""
    body = {
        "id": "chatcmpl-7",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "qwen3:8b",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text} | message,
                "finish_reason": finish_reason,
            }
        ],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "total_tokens": 0},
    }
    return Reply(json.dumps(body).encode())


def problem(status: int, text: str, **headers: str) -> Reply:
    """An error as most servers word it."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": {"message": text, "type": "invalid_request_error", "code": None}}
    return Reply(json.dumps(body).encode(), status=status, headers={"content-type": "application/json"} | names)


def form(request: Received) -> str:
    """In which form an answer was asked for."""
    asked = request.body.get("response_format", {"type": "plain"})
    return str(asked["type"])
