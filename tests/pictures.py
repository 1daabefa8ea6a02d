"""Pictures of `memoryd ui` for the documentation: `python tests/pictures.py FOLDER` plays the demo and draws screens.

A daemon of its own serves the built-in conversation, so that what is to be seen on the pictures has really happened.
"""

import asyncio
import re
import shutil
import sys
import tempfile
from pathlib import Path

from anyio import to_thread

from memoryd_cli.base import launch
from memoryd_cli.demo.player import Player
from memoryd_cli.demo.transcript import builtin_transcript
from memoryd_cli.ui.app import MemorydUi
from memoryd_cli.ui.backend import Backend
from memoryd_client import Client
from memoryd_client.base.paths import Paths
from running import until
from ui.seen import Seen

SIZE = (104, 30)
PROJECT = "/home/ana/tidemark"
SHOWN = "On Friday I run a migration"
"""The turn that is chosen on the first picture."""


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="md-"))
    paths = Paths.from_environment({"HOME": str(home), "MEMORYD_HOME": str(home / "memoryd")})
    launch.start(paths, environ={"MEMORYD_HOME": str(paths.home), "PATH": "/usr/bin:/bin"})
    try:
        asyncio.run(_draw(paths, folder))
    finally:
        launch.stop(paths)
        shutil.rmtree(home)


def _happen(paths: Paths) -> None:
    """Let the conversation take place, and some things that wait for a person."""
    for _ in Player(builtin_transcript(), paths, project=PROJECT).play():
        pass
    with Client(session="deploy", project=PROJECT, agent="demo", paths=paths) as client:
        client.remember("The deploy job takes 20 minutes.")
        client.remember("The deploy job takes 40 minutes.")
        client.remember("Vienna", category="profile", title="home city")
        until(lambda: client.review().pairs, "the two to wait")


async def _draw(paths: Paths, folder: Path) -> None:
    app = MemorydUi(Backend(paths, project=PROJECT, owner="local"))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        seen = Seen(pilot, app)
        await seen.until(lambda: app.backend.status, "the daemon's status")
        await to_thread.run_sync(_happen, paths)
        await seen.until(lambda: _choose(seen, SHOWN), "the turn")
        await seen.sees("(given)", "Passed over")
        _save(seen, folder, "live")
        await seen.press("2", "slash", *"rounding", "enter")
        await seen.sees("Where it comes from")
        _save(seen, folder, "memories")
        await seen.press("3", "down")
        await seen.sees("near pair 1", "Newer")
        _save(seen, folder, "review")
        await seen.press("4", "c", "minus", "minus")
        await seen.sees("of 2,000 tokens")
        _save(seen, folder, "sessions")
        await seen.press("5", "t")
        await seen.sees("Growth")
        _save(seen, folder, "health")


def _choose(seen: Seen, text: str) -> bool:
    """Highlight the row that has a text, if there is one."""
    places = [place for place, option in enumerate(seen.rows.options) if text in str(option.prompt)]
    seen.rows.highlighted = places[-1] if places else None
    return bool(places)


def _save(seen: Seen, folder: Path, name: str) -> None:
    """Write the screen as a picture that fetches no font, and shows fonts that are there."""
    picture = seen.app.export_screenshot(title="memoryd ui", simplify=True)
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL).replace(
        "Fira Code", "DejaVu Sans Mono, Menlo"
    )
    picture = re.sub(r"terminal-[0-9]+", "t", picture)
    lines = (line.strip() for line in picture.splitlines())
    (folder / f"{name}.svg").write_text("\n".join(line for line in lines if line) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
