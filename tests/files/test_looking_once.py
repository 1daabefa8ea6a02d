"""A hundred sessions that ask at once what a project says share a look, and nobody hears what is old."""

from pathlib import Path

import anyio

from memoryd.project_files import ProjectFolders
from memoryd_actors.admission.project_files import ProjectFiles


async def test_a_hundred_who_ask_at_the_same_time_share_a_look(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SHOP_PASS=perpetuum-mobile\n")
    folders = ProjectFolders()
    seen: list[ProjectFiles] = []

    async def ask() -> None:
        seen.append(await folders.look(str(tmp_path), []))

    async with anyio.create_task_group() as tasks:
        for _ in range(100):
            tasks.start_soon(ask)
    assert [[one.name for one in each.environment] for each in seen] == [["SHOP_PASS"]] * 100
    assert folders.looks < 10


async def test_who_asks_after_a_file_has_changed_hears_of_it(tmp_path: Path) -> None:
    folders = ProjectFolders()
    for number in range(20):
        (tmp_path / ".env").write_text(f"SHOP_PASS=perpetuum-mobile-{number}\n")
        seen = await folders.look(str(tmp_path), [])
        assert [one.value for one in seen.environment] == [f"perpetuum-mobile-{number}"]


def test_who_asked_before_the_last_look_is_content_with_it_and_who_asks_after_it_is_not(tmp_path: Path) -> None:
    folders = ProjectFolders()
    asked = folders.looks
    assert folders.look_now(str(tmp_path), [], since=asked).environment == ()
    (tmp_path / ".env").write_text("SHOP_PASS=perpetuum-mobile\n")
    assert folders.look_now(str(tmp_path), [], since=asked).environment == ()
    assert [one.name for one in folders.look_now(str(tmp_path), [], since=folders.looks).environment] == ["SHOP_PASS"]
