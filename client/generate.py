"""Write what is made of something else; with `--check` only say whether it is stale.

The blocking client, `client.py`, is made of the asynchronous one; the schemas of the tools of their classes.

Both ask the same in the same words. How they wait is in `blocking.py` and `suspending.py`.
"""

import re
import subprocess
import sys
from pathlib import Path

import msgspec

from memoryd_client.tools.tool import Tool

FOLDER = Path(__file__).parent / "memoryd_client"
SOURCE, MADE, SCHEMAS = FOLDER / "async_client.py", FOLDER / "client.py", FOLDER / "tools" / "schemas.json"
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


def schemas() -> str:
    """Return the tools as JSON: as a model sees them, and what hosts of models want to know."""
    from memoryd_client.tools.toolbox import ALL

    return msgspec.json.format(msgspec.json.encode([_schema(tool) for tool in ALL]), indent=1).decode() + "\n"


def _schema(tool: type[Tool]) -> dict[str, object]:
    whole = msgspec.json.schema(tool)["$defs"][tool.__name__]
    properties = {
        # What is empty by default is left out: that goes without saying.
        name: {key: value for key, value in field.items() if key != "default" or value not in ("", (), {}, [])}
        for name, field in whole["properties"].items()
    }
    parameters: dict[str, object] = {"type": "object", "properties": properties, "additionalProperties": False}
    if whole.get("required"):
        parameters["required"] = whole["required"]
    annotations: dict[str, object] = {"title": tool.title, "readOnlyHint": tool.reads, "openWorldHint": False}
    if not tool.reads:
        annotations["destructiveHint"] = tool.destroys
    return {
        "name": tool.name,
        "title": tool.title,
        "description": " ".join((tool.__doc__ or "").split()),
        "default": tool.default,
        "annotations": annotations,
        "parameters": parameters,
    }


def main() -> int:
    """Write the files, or check them."""
    made = {MADE: blocking(SOURCE.read_text(encoding="utf-8")), SCHEMAS: schemas()}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        sys.stderr.writelines(f"{path.name} is stale: python client/generate.py\n" for path in stale)
        return 1 if stale else 0
    for path in stale:
        path.write_text(made[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
