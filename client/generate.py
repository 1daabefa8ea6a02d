"""Write the blocking client, `client.py`, from the asynchronous one; with `--check` only say whether it is stale.

Both ask the same in the same words. How they wait is in `blocking.py` and `suspending.py`.
"""

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "memoryd_client"
SOURCE, MADE = FOLDER / "async_client.py", FOLDER / "client.py"
WORDS = (
    (r'\A""".*?"""', '"""The blocking client. Made of `async_client.py` by client/generate.py: change that one."""'),
    ("asynchronous code. Tasks", "ordinary code. Threads"),
    ("of one event loop may share one", "may share one; a forked child may go on using it"),
    ("AsyncClient", "Client"),
    ("suspending", "blocking"),
    ("Suspending", "Blocking"),
    (r"\basync (def|with)\b", r"\1"),
    (r"\bawait ", ""),
)
"""What is replaced by what, in this order."""


def blocking(source: str) -> str:
    """Return the source of the blocking client."""
    made = _unwrapped(source)
    for pattern, text in WORDS:
        made = re.sub(pattern, text, made, flags=re.DOTALL)
    for mend in (["check", "--select", "I", "--fix", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *mend, "--stdin-filename", str(MADE), "-"]
        made = subprocess.run(ruff, input=made, capture_output=True, text=True, check=True).stdout
    return made


def _unwrapped(source: str) -> str:
    """Take off the parentheses that only an `await` needs: of `(await call()).field`, `call().field` is left."""
    while (start := source.find("(await ")) >= 0:
        depth, end = 1, start + 1
        while depth:
            depth += {"(": 1, ")": -1}.get(source[end], 0)
            end += 1
        inner = source[start + len("(await ") : end - 1]
        source = source[:start] + (inner if source[end] in ".[" else f"({inner})") + source[end:]
    return source


def main() -> int:
    """Write the file, or check it."""
    made = blocking(SOURCE.read_text(encoding="utf-8"))
    if "--check" not in sys.argv:
        MADE.write_text(made, encoding="utf-8")
    elif made != MADE.read_text(encoding="utf-8"):
        sys.stderr.write("client.py is stale: python client/generate.py\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
