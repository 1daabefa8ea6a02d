import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import numpy as np
import pytest

from memoryd.config import EmbeddingConfig
from memoryd.embedding import EmbeddingService, ModelStatistics, build_embedder
from memoryd.embedding.model import EmbeddingModel
from memoryd.embedding.onnx import OnnxModel
from memoryd.embedding.thread import ModelThread
from memoryd.embedding.weights import Sources, fetch
from memoryd_actors.core.errors import ModelUnavailable, Unavailable
from memoryd_actors.ports.embedder import Vectors


@pytest.fixture
def embedder(model_folder: Path, tmp_path: Path) -> EmbeddingService:
    """Not yet entered: that belongs to the task of the test."""
    return build_embedder(EmbeddingConfig(folder=str(model_folder)), models=tmp_path, offline=True)


class Gate(OnnxModel):
    """The real model, whose runs wait until they are let through; notes what ran."""

    def __init__(self, model_folder: Path) -> None:
        super().__init__(fetch(Sources(models=model_folder, folder=model_folder)), threads=1)
        self.entered = threading.Semaphore(0)
        self.through = threading.Semaphore(0)
        self.runs: list[list[str]] = []
        self.armed = True

    def encode(self, texts: Sequence[str], *, max_tokens: int) -> Vectors:
        if getattr(self, "armed", False):  # the probe runs before there is a gate
            self.runs.append(list(texts))
            self.entered.release()
            self.through.acquire()
        return super().encode(texts, max_tokens=max_tokens)


def service_of(load: Callable[[], EmbeddingModel], **options: float) -> EmbeddingService:
    return EmbeddingService(
        load,
        identity="all-MiniLM-L6-v2/fp32",
        dimensions=384,
        max_batch=int(options.get("max_batch", 32)),
        idle_unload_s=options.get("idle_unload_s", 900.0),
    )


async def entered(gate: Gate) -> None:
    await anyio.to_thread.run_sync(gate.entered.acquire)


class Counted(OnnxModel):
    """The real model, which notes how often a tokeniser is loaded."""

    def __init__(self, model_folder: Path) -> None:
        super().__init__(fetch(Sources(models=model_folder, folder=model_folder)), threads=1)
        self.loaded = 0

    def counter(self) -> Callable[[Sequence[str]], list[int]]:
        self.loaded += 1
        return super().counter()


async def test_a_hundred_who_have_the_first_tokens_counted_have_one_tokeniser_loaded(model_folder: Path) -> None:
    model = Counted(model_folder)
    async with service_of(lambda: model) as embedder:
        await embedder.warm()
        counts: list[list[int] | None] = []

        async def count() -> None:
            counts.append(await embedder.count(["three small words"]))

        async with anyio.create_task_group() as tasks:
            for _ in range(100):
                tasks.start_soon(count)
        assert counts == [[3]] * 100
        assert model.loaded == 1


async def test_requests_that_arrive_together_run_together(embedder: EmbeddingService) -> None:
    async with embedder:
        await embedder.warm()
        found: dict[str, Vectors] = {}

        async def ask(text: str) -> None:
            found[text] = await embedder.embed([text])

        texts = [f"request number {number}" for number in range(11)]
        async with anyio.create_task_group() as tasks:
            for text in texts:
                tasks.start_soon(ask, text)
        assert (embedder.statistics().runs, embedder.statistics().texts) == (1, 11)
        other = await embedder.embed(texts, max_tokens=255)
        assert all(found[text][0] @ other[index] > 0.9999 for index, text in enumerate(texts))


async def test_what_arrives_during_a_run_goes_into_the_next_one_and_limits_are_not_mixed(model_folder: Path) -> None:
    gate = Gate(model_folder)
    async with service_of(lambda: gate) as embedder, anyio.create_task_group() as tasks:
        tasks.start_soon(embedder.embed, ["first"])
        await entered(gate)
        tasks.start_soon(embedder.embed, ["second"])
        tasks.start_soon(embedder.embed, ["third", "first"])
        tasks.start_soon(lambda: embedder.embed(["fourth"], max_tokens=64))
        await anyio.wait_all_tasks_blocked()
        gate.through.release(3)
    assert gate.runs == [["first"], ["second", "third"], ["fourth"]]


async def test_a_small_request_does_not_wait_behind_an_import(model_folder: Path) -> None:
    gate = Gate(model_folder)
    bulk = [f"imported {number}" for number in range(40)]
    ends: list[str] = []

    async def ask(name: str, texts: list[str], embedder: EmbeddingService) -> None:
        vectors = await embedder.embed(texts)
        assert vectors.shape == (len(texts), 384)
        ends.append(name)

    async with service_of(lambda: gate, max_batch=8) as embedder, anyio.create_task_group() as tasks:
        tasks.start_soon(ask, "bulk", bulk, embedder)
        await entered(gate)
        tasks.start_soon(ask, "small", ["what the user wants now"], embedder)
        await anyio.wait_all_tasks_blocked()
        gate.through.release(100)
    assert ends == ["small", "bulk"]
    assert [len(run) for run in gate.runs] == [8, 1, 8, 8, 8, 8]
    assert gate.runs[1] == ["what the user wants now"]


async def test_a_cancelled_waiter_does_not_disturb_the_others(model_folder: Path) -> None:
    gate = Gate(model_folder)
    kept: list[Vectors] = []

    async def keep(embedder: EmbeddingService) -> None:
        kept.append(await embedder.embed(["stays", "shared"]))

    async with service_of(lambda: gate, max_batch=4) as embedder:
        async with anyio.create_task_group() as tasks, anyio.create_task_group() as doomed:
            doomed.start_soon(embedder.embed, [f"import {number}" for number in range(100)])
            await entered(gate)
            doomed.start_soon(embedder.embed, ["goes", "shared"])
            tasks.start_soon(keep, embedder)
            await anyio.wait_all_tasks_blocked()
            doomed.cancel_scope.cancel()
            gate.through.release(2)
        assert gate.runs[1:] == [["stays", "shared"]]
        gate.through.release()
        assert (await embedder.embed(["later"])).shape == (1, 384)
    assert kept[0].shape == (2, 384)


async def test_a_known_text_does_not_run_again_and_callers_cannot_spoil_it(embedder: EmbeddingService) -> None:
    async with embedder:
        first = await embedder.embed(["a message", "another", "a message"])
        assert np.array_equal(first[0], first[2])
        expected = first.copy()
        first[:] = 0
        again = await embedder.embed(["another", "a message"])
        assert np.array_equal(again, expected[[1, 0]])
        assert (embedder.statistics().runs, embedder.statistics().texts, embedder.statistics().recalled) == (1, 2, 2)
        await embedder.embed(["another"], max_tokens=16)
        assert embedder.statistics().runs == 2


async def test_hundreds_of_texts_come_back_in_their_order(embedder: EmbeddingService) -> None:
    async with embedder:
        texts = [f"{'word ' * (number % 40)}number {number}" for number in range(200)]
        vectors = await embedder.embed(texts)
        picked = [3, 150, 199]
        alone = await embedder.embed([texts[index] for index in picked], max_tokens=255)
        assert all(vectors[index] @ alone[row] > 0.9999 for row, index in enumerate(picked))


async def test_an_unused_model_leaves_memory_and_comes_back_on_demand(model_folder: Path, tmp_path: Path) -> None:
    config = EmbeddingConfig(folder=str(model_folder), idle_unload_s=0.02)
    weights = model_folder / "weights.bin"
    states: list[str] = []
    idle = anyio.Event()

    def is_mapped(file: Path) -> bool:
        return any(line.endswith(str(file)) for line in Path("/proc/self/maps").read_text("utf-8").splitlines())

    def observe(now: ModelStatistics) -> None:
        states.append(now.state)
        if now.state == "idle":
            idle.set()

    async with build_embedder(config, models=tmp_path, offline=True, observe=observe) as embedder:
        before = await embedder.embed(["hello"])
        await idle.wait()
        assert not is_mapped(weights)
        assert np.array_equal(await embedder.embed(["hello"]), before)
        assert embedder.statistics().state == "idle"
        idle = anyio.Event()
        after = await embedder.embed(["hello"], max_tokens=200)
        assert is_mapped(weights)
        await idle.wait()
    assert float(before[0] @ after[0]) > 0.9999
    assert states == ["loading", "ready", "idle"] * 2
    assert embedder.statistics().loads == 2


async def test_nothing_is_loaded_before_it_is_needed_and_warm_loads_ahead(embedder: EmbeddingService) -> None:
    async with embedder:
        assert (embedder.identity, embedder.dimensions) == ("all-MiniLM-L6-v2/fp32", 384)
        assert (await embedder.embed([])).shape == (0, 384)
        assert embedder.statistics() == ModelStatistics()
        await embedder.warm()
        await embedder.warm()
        now = embedder.statistics()
        assert (now.state, now.loads, now.runs, now.waiting) == ("ready", 1, 0, 0)
        assert now.load_s > 0


async def test_a_failed_load_is_told_once_and_mended_by_the_next_call(model_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    told: list[ModelStatistics] = []
    config = EmbeddingConfig(folder=str(folder))
    errors: list[ModelUnavailable] = []

    async def ask(embedder: EmbeddingService, text: str) -> None:
        with pytest.raises(ModelUnavailable) as caught:
            await embedder.embed([text])
        errors.append(caught.value)

    async with build_embedder(config, models=tmp_path, offline=True, observe=told.append) as embedder:
        async with anyio.create_task_group() as tasks:
            for number in range(5):
                tasks.start_soon(ask, embedder, f"text {number}")
        await ask(embedder, "and once more")
        assert {(str(each), each.hint) for each in errors} == {(str(errors[0]), errors[0].hint)}
        assert len({id(each) for each in errors}) == 6
        assert str(folder) in str(errors[0])
        assert [each.state for each in told] == ["loading", "failed"]
        assert (told[1].message, told[1].hint) == (str(errors[0]), errors[0].hint)
        folder.symlink_to(model_folder)
        assert (await embedder.embed(["text 0"])).shape == (1, 384)
    now = embedder.statistics()
    assert [each.state for each in told] == ["loading", "failed", "ready"]
    assert (now.state, now.message, now.last_error) == ("ready", "", str(errors[0]))


async def test_a_run_that_breaks_is_told_to_its_callers_only(model_folder: Path) -> None:
    class Poisoned(OnnxModel):
        def encode(self, texts: Sequence[str], *, max_tokens: int) -> Vectors:
            if "poison" in texts:
                raise ZeroDivisionError("poison")
            return super().encode(texts, max_tokens=max_tokens)

    weights = fetch(Sources(models=model_folder, folder=model_folder))
    async with service_of(lambda: Poisoned(weights, threads=1)) as embedder:
        with pytest.raises(RuntimeError, match="ZeroDivisionError") as caught:
            await embedder.embed(["poison", "innocent"])
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert (await embedder.embed(["innocent"])).shape == (1, 384)
        assert embedder.statistics().waiting == 0


async def test_a_bug_in_loading_is_not_taken_for_a_missing_model() -> None:
    def load() -> EmbeddingModel:
        raise ZeroDivisionError("while loading")

    async with service_of(load) as embedder:
        with pytest.raises(RuntimeError, match="while loading"):
            await embedder.warm()
        assert embedder.statistics().state == "failed"


async def test_leaving_answers_whoever_still_waits(model_folder: Path) -> None:
    gate = Gate(model_folder)
    embedder = service_of(lambda: gate)
    async with anyio.create_task_group() as tasks:

        async def ask() -> None:
            with pytest.raises(Unavailable, match="stopped"):
                await embedder.embed(["too late"])

        async with embedder:
            tasks.start_soon(ask)
            await entered(gate)
            gate.through.release()
    with pytest.raises(Unavailable, match="not running"):
        await embedder.embed(["far too late"])


async def test_an_error_in_the_block_leaves_it_as_it_is(embedder: EmbeddingService) -> None:
    with pytest.raises(ZeroDivisionError):
        async with embedder:
            await embedder.embed(["hello"])
            raise ZeroDivisionError


async def test_leaving_does_not_wait_for_a_load_that_hangs() -> None:
    release, loaded = threading.Event(), threading.Event()

    def load() -> None:
        release.wait()
        loaded.set()

    thread = ModelThread(leave_s=0.01)
    async with thread, anyio.create_task_group() as tasks:
        tasks.start_soon(thread.run, load)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert not loaded.is_set()
    release.set()
    assert await anyio.to_thread.run_sync(loaded.wait, 10)  # it had begun, and ends by itself


@pytest.mark.parametrize("max_tokens", [1, 513])
async def test_token_limits_that_the_model_cannot_have_are_an_error(
    embedder: EmbeddingService, max_tokens: int
) -> None:
    async with embedder:
        with pytest.raises(ValueError, match="from 2 to 512"):
            await embedder.embed(["hello"], max_tokens=max_tokens)
