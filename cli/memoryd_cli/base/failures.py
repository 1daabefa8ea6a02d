"""How a command fails: the error that it raises, the exit codes, and the one line that tells what happened."""

from memoryd_client.base.errors import MemorydError

DONE, FAILED, USAGE, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130


class CommandFailed(MemorydError):
    """Raised when a command cannot do what was asked; the message says why, the hint what helps."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def sentence(message: str, hint: str) -> str:
    """Join what happened and what helps in one line."""
    happened, helps = (" ".join(text.split()).rstrip(".") for text in (message, hint))
    if not helps:
        return happened
    first = helps.split(" ", 1)[0]
    ordinary = first[:1].isupper() and first[1:].islower()
    return f"{happened}; {helps[0].lower() + helps[1:] if ordinary else helps}"
