"""The outer edge: turns what went wrong into one line on stderr and an exit code."""

import os
import sys
import traceback
from collections.abc import Sequence
from errno import EBADF, ENOSPC
from typing import NoReturn

from memoryd_cli.base import streams
from memoryd_cli.base.failures import DONE, FAILED, INTERRUPTED, UNREACHABLE, USAGE
from memoryd_cli.base.output import ReaderGone, note
from memoryd_client.base.errors import DaemonUnreachable, InvalidArgument, MemorydError
from memoryd_client.base.wording import sentence

_LONGEST = 2_000
"""Characters of a complaint: some repeat what they were given."""
_DAEMON_EXTRA = (
    "alembic",
    "anthropic",
    "huggingface_hub",
    "lancedb",
    "numpy",
    "onnxruntime",
    "pyarrow",
    "sqlalchemy",
    "tokenizers",
)
"""What `memoryd[daemon]` brings: any of these missing means that it is not installed."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave the process: 0 done, 1 failed, 2 usage, 3 daemon not reachable."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code. Nothing but results reaches stdout, no traceback the terminal."""
    try:
        from memoryd_cli.app import command_line

        command_line(arguments)(args=list(arguments), prog_name="memoryd")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else DONE if leaving.code is None else FAILED
    except ReaderGone:
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return _complain(error, _code(error))
    return DONE


def _code(error: Exception) -> int:
    if isinstance(error, InvalidArgument):
        return USAGE
    return UNREACHABLE if isinstance(error, DaemonUnreachable) else FAILED


def _complain(error: Exception, code: int) -> int:
    if os.environ.get("MEMORYD_DEBUG"):
        traceback.print_exception(error)
    told = _describe(error)
    if len(told) > _LONGEST:
        told = f"{told[:_LONGEST]}…"
    if isinstance(error, OSError) and error.filename is None:  # --help, which typer prints
        streams.silence(sys.stdout)
    # A message that names memoryd needs no prefix that does.
    note(told if "memoryd" in told.partition(";")[0] else f"memoryd: {told}")
    return code


def _describe(error: Exception) -> str:
    match error:
        case MemorydError():
            return sentence(str(error), error.hint)
        case ModuleNotFoundError() if (error.name or "").partition(".")[0] in _DAEMON_EXTRA:
            return f"{(error.name or '').partition('.')[0]} is missing; pip install 'memoryd[daemon]'"
        case ModuleNotFoundError() if (error.name or "").partition(".")[0] == "textual":
            return "textual is missing; pip install 'memoryd[ui]'"
        case OSError() if error.filename is not None or error.errno in {ENOSPC, EBADF}:
            return f"{error.filename or 'it cannot be written'}: {error.strerror}"
        case _:
            pass
    from memoryd_actors.core import errors as daemon

    if isinstance(error, daemon.DaemonError):
        return sentence(str(error), error.hint)
    return sentence(f"this is a bug: {type(error).__name__}: {error}", "MEMORYD_DEBUG=1 shows where it happened")
