"""Rules for some of a project's files say for which."""

from pathlib import Path

import pytest

from memoryd_cli.histories.rules import files, rules


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("globs: *.py, *.pyi\nalwaysApply: false", "In *.py, *.pyi: Name every test."),
        ("applyTo: '**/*.ts'", "In **/*.ts: Name every test."),
        ("applyTo: '**'", "Name every test."),
        ("globs:\nalwaysApply: true", "Name every test."),
    ],
)
def test_rules_for_some_files_say_so(tmp_path: Path, front: str, said: str) -> None:
    folder = tmp_path / ".cursor/rules"
    folder.mkdir(parents=True)
    (folder / "tests.mdc").write_text(f"---\n{front}\n---\n- Name every test.\n", encoding="utf-8")
    (rule,) = rules(tmp_path, files(tmp_path))
    assert rule.content == said
