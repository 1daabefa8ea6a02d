"""Pictures of `memoryd ui` for the documentation: `python tests/pictures.py FOLDER` plays the demo and draws screens.

A daemon of its own serves the built-in conversation, so that what is to be seen on the pictures has really happened;
some weeks before it, on a clock that is set back, memories were stored, changed and forgotten.
"""

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from anyio import to_thread

from memoryd_cli.base import launch
from memoryd_cli.demo.player import Player
from memoryd_cli.demo.transcript import builtin_transcript
from memoryd_cli.ui.app import MemorydUi
from memoryd_cli.ui.backend import Backend
from memoryd_client import Client, NewMemory
from memoryd_client.base.paths import Paths
from running import until
from ui.seen import Seen

SIZE = (104, 30)
CLOCK_MOVED = Path(__file__).with_name("clock_moved.py")
PROJECT = "/home/ana/tidemark"
CELL = 12.2
"""Pixels of a character's width, as Textual draws it."""
INDENTED = r'x="([0-9.]+)" (y="[0-9.]+") textLength="([0-9.]+)"([^>]*)>((?:&#160;)+)'
SHOWN = "On Friday I run a migration"
"""The turn that is chosen on the first picture."""
WEEKS = 4
STORED = (6, 11, 8, 14, 9, 3, 0)
"""On each day of a week."""
DOCS = Path(__file__).parents[1] / "docs"
"""What is remembered in those weeks, in another project: their sentences."""
SENTENCE = re.compile(r"(?<=[.]\s)[A-Z][^.|*`#]{30,160}[.]")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="md-"))
    paths = Paths.from_environment({"HOME": str(home), "MEMORYD_HOME": str(home / "memoryd")})
    environ = {"MEMORYD_HOME": str(paths.home), "PATH": "/usr/bin:/bin"}
    try:
        _weeks_before(home, paths, environ)
        launch.start(paths, environ=environ)
        asyncio.run(_draw(paths, folder))
    finally:
        launch.stop(paths)
        shutil.rmtree(home)


def _weeks_before(home: Path, paths: Paths, environ: dict[str, str]) -> None:
    """Let a daemon on a clock that is set back go through some weeks in which people worked, but for the Sundays."""
    clock = home / "clock"
    clock.write_text(str(-7.0 * WEEKS), encoding="ascii")
    daemon = subprocess.Popen([sys.executable, CLOCK_MOVED], env={**environ, "CLOCK_MOVED": str(clock)})
    try:
        until(paths.rpc_socket.exists, "the daemon to answer", patience_s=60)
        with Client(session="weeks", project=f"{PROJECT}-docs", agent="script", paths=paths) as client:
            sentences = (one for page in sorted(DOCS.glob("*.md")) for one in SENTENCE.findall(page.read_text()))
            for day in range(7 * WEEKS):
                clock.write_text(str(float(day - 7 * WEEKS)), encoding="ascii")
                _work(client, [*islice(sentences, STORED[day % 7] and STORED[day % 7] + day % 5)])
    finally:
        daemon.terminate()
        daemon.wait(30)


def _work(client: Client, sentences: Sequence[str]) -> None:
    """Store some memories, change one in four of them, and forget one in six of those before."""
    before = client.list(limit=60)[30:]
    stored = client.remember_many([NewMemory(content=one) for one in sentences])
    for memory in stored[::4]:
        client.update(memory.id, importance=4)
    for memory in before[: len(stored) // 6]:
        client.forget(memory.id)


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
        await seen.sees("See you tomorrow!")  # the last turn: until then the list moves on
        await seen.until(lambda: _choose(seen, SHOWN), "the turn")
        await seen.sees("(given)", "Passed over")
        _save(seen, folder, "live")
        await seen.press("2", "slash", *"rounding", "enter")
        await seen.sees("1 shown", "Where it comes from", "session billing")
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
    picture = re.sub(
        r'x="([0-9.]+)" (y="[0-9.]+") textLength="([0-9.]+)"([^>]*)>((?:&#160;)+)', _without_indent, picture
    )
    lines = (line.strip() for line in picture.splitlines())
    (folder / f"{name}.svg").write_text("\n".join(line for line in lines if line) + "\n", encoding="utf-8")


def _without_indent(text: re.Match[str]) -> str:
    """Move a text to where its first letter is: some programs leave out the spaces with which a text begins."""
    indent = CELL * text[5].count("&#160;")
    begins, length = float(text[1]) + indent, float(text[3]) - indent
    return f'x="{begins:g}" {text[2]} textLength="{length:g}"{text[4]}>'


if __name__ == "__main__":
    main()
