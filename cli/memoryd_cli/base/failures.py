"""How a command fails: the error that it raises, the exit codes, and the one line that tells what happened."""

from memoryd_client.base.errors import MemorydError

DONE, FAILED, USAGE, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130


class CommandFailed(MemorydError):
    """Raised when a command cannot do what was asked; the message says why, the hint what helps."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
