"""The formats of vendors' tokens, from the data file beside this."""

import re
from importlib.resources import files
from typing import Final

import msgspec


class _Table(msgspec.Struct, frozen=True):
    parts: dict[str, str]
    tables: dict[str, list[tuple[str, str]]]


_TABLE: Final = msgspec.toml.decode(
    files("memoryd_actors.redaction").joinpath("formats.toml").read_bytes(), type=_Table
)
_PART: Final = re.compile(r"<<(\w+)>>")


def _filled(name: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (rule, _PART.sub(lambda part: _TABLE.parts[part[1]], pattern)) for rule, pattern in _TABLE.tables[name]
    )


FORMATS: Final = _filled("formats")
"""The name that the marker shows, and the vendor's pattern, tried in this order at each place."""
CUT: Final = _filled("cut")
"""Beginnings of keys, with enough behind them to be one; tried after the formats."""
