"""Which model's index serves is noted whole, or what was wrong is said."""

from pathlib import Path

import pytest

from memoryd.config import EmbeddingConfig
from memoryd.embedding.generations import destroy_others, first, read, write
from memoryd_actors.core.errors import Unavailable
from memoryd_client.base.paths import Paths


def test_what_is_noted_is_read_and_leaves_no_draft(tmp_path: Path) -> None:
    paths = Paths(tmp_path, tmp_path / "config.toml", tmp_path / "run")
    noted = first(EmbeddingConfig())
    write(paths, noted)
    write(paths, noted)
    assert read(paths) == noted
    assert list(paths.generations.parent.iterdir()) == [paths.generations]


def test_what_is_kept_stays_and_what_cannot_be_destroyed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths(tmp_path, tmp_path / "config.toml", tmp_path / "run")
    for place in ("", "old", "kept"):
        paths.memories_index_at(place).mkdir(parents=True)
    destroy_others(paths, {"kept"})
    assert [paths.memories_index_at(place).exists() for place in ("", "old", "kept")] == [False, False, True]

    def refused(folder: Path) -> None:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr("shutil.rmtree", refused)
    with pytest.raises(Unavailable, match="kept cannot be removed: Permission denied") as raised:
        destroy_others(paths, {""})
    assert raised.value.hint


def test_what_cannot_be_written_is_not_called_a_full_disk(tmp_path: Path) -> None:
    paths = Paths(tmp_path, tmp_path / "config.toml", tmp_path / "run")
    paths.generations.mkdir(parents=True)
    with pytest.raises(Unavailable, match="Is a directory") as raised:
        write(paths, first(EmbeddingConfig()))
    assert str(paths.generations) in str(raised.value)
    assert raised.value.hint
