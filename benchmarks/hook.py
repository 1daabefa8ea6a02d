"""How long an agent waits for the hook, beside the bare interpreter, and for the daemon behind it, beside the model."""

import json
import socket
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

from benchmarks.home import daemon, fill, home, text, wait_for_model
from memoryd_cli.connect.program import hook_text
from memoryd_client.base.paths import Paths

ROUNDS = 60
LIMIT = 1.6
"""Times the bare interpreter that a hook without an answer to wait for may take."""
DAEMON_LIMIT = 1.3
"""Times one run of the model that the daemon may take to answer a prompt with what it brings up."""


def run() -> dict[str, Any]:
    with home() as paths:
        fill(paths, 1_000)
        with daemon(paths, MEMORYD_HOSTS_WAIT_S="5") as running:
            wait_for_model(running)
            program = paths.home / "memoryd-hook"
            program.write_text(hook_text(paths), encoding="utf-8")
            program.chmod(0o700)
            asked: list[float] = []
            bare: list[float] = []
            for _ in range(ROUNDS):  # in turns: what else the machine does then slows both alike
                bare.append(_timed([sys.executable, "-IS", "-c", "pass"]))
                asked.append(_timed([str(program), "claude", "SessionEnd"]))
            generator = np.random.default_rng(11)
            first: list[float] = []
            prompts: list[float] = []
            model: list[float] = []
            for number in range(ROUNDS):
                session, traces = f"hook-{number}", []
                with running.client(session) as client:
                    for count, took in enumerate((first, prompts), 1):
                        took.append(_answered(paths, session, text(generator, 12)))
                        while len(traces := client.why(2)) < count:  # it is written after the answer
                            sleep(0.005)
                model.append(traces[0].timings_ms["embed"])
    figures = {"hook_ms": statistics.median(asked), "python_ms": statistics.median(bare)}
    figures["ratio"] = figures["hook_ms"] / figures["python_ms"]
    figures |= {"first_prompt_ms": statistics.median(first), "prompt_ms": statistics.median(prompts)}
    figures["model_ms"] = statistics.median(model)
    figures["daemon_ratio"] = figures["prompt_ms"] / figures["model_ms"]
    print(
        f"hook {figures['hook_ms']:.1f} ms, python -IS -c pass {figures['python_ms']:.1f} ms: "
        f"{figures['ratio']:.2f} times (limit {LIMIT})\n"
        f"the daemon answers a prompt in {figures['prompt_ms']:.1f} ms, {figures['model_ms']:.1f} of them the model's: "
        f"{figures['daemon_ratio']:.2f} times (limit {DAEMON_LIMIT}); the first of a session in "
        f"{figures['first_prompt_ms']:.1f} ms"
    )
    return figures


def _timed(command: list[str | Path]) -> float:
    begin = perf_counter()
    subprocess.run(command, input=b'{"reason":"other"}', capture_output=True, check=True)
    return (perf_counter() - begin) * 1000


def _answered(paths: Paths, session: str, prompt: str) -> float:
    """Return how long the daemon takes for a prompt, as the hook asks it."""
    event = {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": prompt, "cwd": str(paths.home)}
    body = json.dumps(event).encode()
    begin = perf_counter()
    with socket.socket(socket.AF_UNIX) as hook:
        hook.connect(str(paths.hooks_socket))
        hook.sendall(b"memoryd-hook 1\nhost claude\nlength %d\n\n" % len(body) + body)
        while hook.recv(65_536):
            pass
    return (perf_counter() - begin) * 1000
