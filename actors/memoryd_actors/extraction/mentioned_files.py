"""Which files a statement mentions: paths, and names that only files have."""

import re
from typing import Final

MOST_FILES: Final = 5
_ENDING: Final = re.compile(
    r"[\w-]\.(?:c|cc|cpp|css|csv|go|h|html|ini|java|jsx?|json|kt|md|ipynb|lock|php|pdf|proto|pyi?|rb|rs|scss|sh|sql|svg"
    r"|swift|tf|toml|tsx?|txt|vue|xml|ya?ml)$",
    re.IGNORECASE,
)
"""The end of a path that is a file's: `example.org` and `/v1/tours` are none."""
_NAME: Final = re.compile(
    r"(?:.*/)?(?:(?:GNU)?[Mm]akefile|(?:Docker|Container|Jenkins|Vagrant|Proc|Gem|Rake|Brew|Pip|Just|Caddy)file|CODEOWNERS|LICEN[SC]E"
    r"|README|CHANGELOG|CONTRIBUTING|\.env(?:rc|\.\w+)?|\.(?:git|docker|npm|eslint|prettier)ignore|\.gitattributes"
    r"|\.editorconfig|\.(?:bash|zsh|vim|npm|netrc|eslint|prettier)rc)\Z"
)
_PLACE: Final = re.compile(
    r"(?:~|\.\.?)/\w|/(?:etc|usr|var|home|opt|tmp|srv|root|mnt|Users)/\w"
    r"|(?:\.github|\.config|src|tests?|docs?|lib|app|apps|bin|cmd|pkg|packages|scripts|internal|include|config|assets|public|static"
    r"|infra|deploy|migrations|benchmarks|examples|tools)/\w"
)
"""How a path without an ending begins that is one of files, and no address of an interface (`/v1/tours`)."""
_NO_FILE = re.compile(
    r".*:/|www\.|.*\w@\w|(?:node|next|nuxt|vue|react|angular|express|electron|ember|backbone|three|d3|nest|svelte)\.js\Z",
    re.IGNORECASE,
)
"""What ends like a file and is none: an address, and programs that are called so (`Node.js`)."""
_LINE: Final = re.compile(r"(?::\d+){1,2}\Z")
"""Where in it something stands: `net/retry.py:12`."""
_AROUND: Final = "\"'`*()[]<>,;:!?"


def may_be_file(path: str) -> bool:
    """Return whether what is said to be a file is neither an address nor a program: `Node.js`, `ana@firm.md`."""
    return bool(path.strip()) and not _NO_FILE.match(path)


def mentioned(text: str) -> tuple[str, ...]:
    """Return the files that a statement mentions, in its order."""
    words = (_LINE.sub("", word.strip(_AROUND).rstrip(".").rstrip(_AROUND)) for word in text.split())
    files = (word for word in words if _ENDING.search(word) or _NAME.match(word) or _PLACE.match(word))
    return tuple(dict.fromkeys(filter(may_be_file, files)))[:MOST_FILES]
