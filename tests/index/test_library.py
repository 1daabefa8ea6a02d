"""LanceDB without the part that nobody here uses; and what becomes of other libraries that are imported so."""

import subprocess
import sys
from pathlib import Path

import pytest

from memoryd.index.library import UNUSED, import_without

LOADED = """
import asyncio, sys
from memoryd.index.library import load
load()
unused = [name for name in sys.modules if name.startswith({unused!r})]
assert "lancedb" in sys.modules and not unused, unused
import lancedb
async def rows():
    database = await lancedb.connect_async({folder!r})
    table = await database.create_table("words", [{{"word": "one"}}])
    return await table.count_rows()
assert asyncio.run(rows()) == 1
from lance_namespace_urllib3_client.models import ListTablesResponse
assert ListTablesResponse(tables=["one"]).tables == ["one"]
"""


def package(folder: Path, name: str, code: str) -> None:
    (folder / f"{name}.py").write_text(code, encoding="utf-8")


def test_lancedb_works_without_its_rest_client_which_is_whole_for_whoever_wants_it(tmp_path: Path) -> None:
    code = LOADED.format(unused=UNUSED, folder=str(tmp_path))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_what_only_names_a_package_is_imported_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package(tmp_path, "left_out", "raise AssertionError('imported')")
    package(tmp_path, "names_it", "from left_out import One\nfrom left_out.deep.er import Two\nEither = One | Two")
    module = import_without("names_it", "left_out")
    with pytest.raises(NotImplementedError, match="One was left out"):
        module.One()
    assert import_without("names_it", "left_out") is module
    with pytest.raises(AssertionError, match="imported"):
        import_without("left_out", "another")


def test_what_uses_a_package_as_it_is_imported_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package(tmp_path, "needed", "SEVEN = 7")
    package(tmp_path, "hands_on", "from needed import SEVEN")
    package(tmp_path, "uses_it", "from hands_on import SEVEN\nEIGHT = SEVEN + 1")
    assert import_without("uses_it", "needed").EIGHT == 8


def test_what_cannot_be_imported_either_way_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package(tmp_path, "broken", "import no_such_package_anywhere")
    with pytest.raises(ModuleNotFoundError, match="no_such_package_anywhere"):
        import_without("broken", "whatever")
