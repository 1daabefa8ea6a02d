import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memoryd.embedding.convert import ConversionFailed, PackageMissing, convert
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.weights import Weights

from .texts import SENTENCES


def test_moving_the_weights_out_of_a_graph_changes_no_vector(whole_folder: Path, tmp_path: Path) -> None:
    convert(whole_folder / "model.onnx", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.onnx", "weights.bin"]
    texts = list(SENTENCES.values())
    whole, moved = [
        OnnxModel(Weights(folder / "model.onnx", whole_folder / "tokenizer.json", "fp32", "test"), threads=1).encode(
            texts, max_tokens=256
        )
        for folder in (whole_folder, tmp_path)
    ]
    assert np.array_equal(whole, moved)


@pytest.mark.parametrize("quantise", [True, False])
def test_a_file_that_is_no_model_is_refused_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], quantise: bool
) -> None:
    model, target = tmp_path / "model.onnx", tmp_path / "target"
    model.write_text("not a model")
    target.mkdir()
    with pytest.raises(ConversionFailed) as caught:
        convert(model, target, quantise=quantise)
    assert str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(target.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_a_missing_package_is_named(whole_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What the converter finds in place of onnx is a module that cannot be imported.
    (tmp_path / "onnx.py").write_text("raise ModuleNotFoundError(name='onnx')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(PackageMissing, match="onnx") as caught:
        convert(whole_folder / "model.onnx", tmp_path, quantise=True)
    assert caught.value.package == "onnx"


def test_without_onnx_the_weights_are_still_moved_out_of_a_graph(
    whole_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "onnx.py").write_text("raise ModuleNotFoundError(name='onnx')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    convert(whole_folder / "model.onnx", tmp_path)
    assert (tmp_path / "weights.bin").stat().st_size > 80_000_000


def test_a_conversion_ends_with_the_process_that_asked_for_it(tmp_path: Path) -> None:
    endless = tmp_path / "model.onnx"
    os.mkfifo(endless)  # nobody writes to it, so that reading it never ends
    command = [sys.executable, "-m", "memoryd.embedding.convert", str(endless), str(tmp_path), "--quantise"]
    # Opening it for writing waits until it is being read.
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process, endless.open("wb"):
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 1
