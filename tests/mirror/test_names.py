"""What files are called: each name once in the whole folder, so that a link to it means one file."""

from pathlib import Path

from msgspec.structs import replace

from memoryd.mirror.known import stem
from memoryd_actors.memory.steps import Revise
from memoryd_actors.mirroring.naming import folded

from .play import MirroredHome, mirrored_home
from .test_two_machines import remember

SAME = {"fact": "Foo bar baz", "preference": "foo BAR baz", "a/b c": "foo bar baz"}


async def of_one_name(home: MirroredHome) -> None:
    for category, title in SAME.items():
        one = await remember(home, title, f"This is about {category}.")
        await home.perform(Revise(replace((await home.memories())[one], category=category)))


def names(home: MirroredHome) -> set[str]:
    return {folded(stem(path)) for path in home.files()}


async def test_memories_of_one_name_that_are_written_together_get_different_ones(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        await of_one_name(home)
        await home.sync()
        assert len(names(home)) == len(home.files()) == len(SAME)
        assert "foo bar baz" in names(home)


async def test_memories_that_get_one_name_together_get_different_ones(tmp_path: Path) -> None:
    async with mirrored_home(tmp_path) as home:
        await of_one_name(home)
        await home.sync()
        for memory in (await home.memories()).values():
            await home.perform(Revise(replace(memory, title="What is new")))
        await home.sync()
        assert len(names(home)) == len(home.files()) == len(SAME)
        assert "what is new" in names(home)
