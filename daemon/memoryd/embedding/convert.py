"""Turn a model's file into what onnxruntime maps: a small graph, and its weights beside it.

A graph that holds its weights is read into memory whole, 140 MB for fp32. Weights beside it are mapped: 64 MB, at the
same speed, because most rows of the word table are never touched (int8: 37 instead of 48).

`python -m memoryd.embedding.convert MODEL FOLDER [--quantise]` does it, for as long as its standard input is open.
"""

import argparse
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

GRAPH = "model.onnx"
WEIGHTS = "weights.bin"
SAFETENSORS_SUFFIX = ".safetensors"
SMALLEST_BYTES = 1024
"""Weights smaller than this stay in the graph."""
_PACKAGE_MISSING = 3


class ConversionFailed(Exception):
    """Raised when a model's file cannot be converted."""


class PackageMissing(ConversionFailed):
    """Raised when a package is not installed that the conversion takes."""

    def __init__(self, package: str) -> None:
        super().__init__(f"the package {package} is not installed")
        self.package = package


def convert(model: Path, target: Path, *, quantise: bool = False) -> None:
    """Write GRAPH and WEIGHTS into the folder `target`, from safetensors or from an ONNX graph. Blocks, 1 to 4 s.

    In a process of its own, which ends when this one does. It takes 370 MB at its peak, and 580 to quantise, not all
    of which comes back: done here, 10 and 26 MB more stay in use.

    Raises:
        PackageMissing: something is not installed.
        ConversionFailed: the file is not what it should be, or memory or disk ran out.
    """
    command = [sys.executable, "-P", "-m", "memoryd.embedding.convert", str(model), str(target)]
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [*command, "--quantise"] if quantise else command,
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(reading)
        os.close(writing)
    if done.returncode == 0:
        return
    if done.returncode < 0:
        raise ConversionFailed(f"the process was ended by {signal.Signals(-done.returncode).name}")
    last = (done.stderr.decode(errors="replace").strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    if done.returncode == _PACKAGE_MISSING:
        raise PackageMissing(last)
    kind, colon, message = last.partition(": ")
    raise ConversionFailed(kind.rpartition(".")[2] + colon + message)


def main(arguments: list[str] | None = None) -> int:
    """Convert here; return the exit status. The last line of stderr says what went wrong."""
    parser = argparse.ArgumentParser(prog="python -m memoryd.embedding.convert", description=__doc__)
    parser.add_argument("model", type=Path, help="model.safetensors, or an ONNX graph")
    parser.add_argument("folder", type=Path, help=f"where {GRAPH} and {WEIGHTS} go")
    parser.add_argument("--quantise", action="store_true", help="make the weights int8")
    chosen = parser.parse_args(arguments)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _write(chosen.model, chosen.folder, quantised=chosen.quantise)
    except ImportError as exc:
        print(exc.name or exc, file=sys.stderr)  # noqa: T201 - a command
        return _PACKAGE_MISSING
    return 0


def _end_with_parent() -> None:
    # A pipe that the parent holds open; unlike the kernel's signal on a parent's death, other systems have it too.
    # Not through sys.stdin, whose lock would be held when the interpreter ends.
    os.read(0, 1)
    os._exit(1)


def _write(model: Path, target: Path, *, quantised: bool) -> None:
    whole = [target / "fp32.onnx", target / "int8.onnx"]
    try:
        if model.suffix == SAFETENSORS_SUFFIX:
            from memoryd.embedding.export import export

            export(model, whole[0])
            model = whole[0]
        if quantised:
            from memoryd.embedding.export import quantise

            quantise(model, whole[1])
            model = whole[1]
        _split(model, target)
    finally:
        for path in whole:
            path.unlink(missing_ok=True)


def _split(model: Path, target: Path) -> None:
    """Save the graph as it is and its weights beside it; by onnxruntime, for the package onnx may not be here."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    # What it optimises depends on the processor and on its version, and is done at each load anyway.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.optimized_model_filepath = str(target / GRAPH)
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", WEIGHTS)
    options.add_session_config_entry(
        "session.optimized_model_external_initializers_min_size_in_bytes", str(SMALLEST_BYTES)
    )
    ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


if __name__ == "__main__":
    sys.exit(main())
