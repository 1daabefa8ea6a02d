"""The page about the wire says what is so, and its client for another language works."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from memoryd_client.wire.protocol import AnyRequest
from running import PROJECT, RunningDaemon

PAGE = (Path(__file__).parents[2] / "docs" / "wire.md").read_text(encoding="utf-8")
LONGEST = 60

CALLS = """
import { ask } from "./memoryd.mjs";
const [path, project] = process.argv.slice(2);
const here = { project, agent: "node", session: "s1" };
const long = "x".repeat(300);
const kept = await ask(path, { type: "remember", memories: [{ content: "The ferry to Aran sails at nine. ü" }] }, here);
const program = { ...here, agent: "" };
const other = await ask(path, { type: "remember", memories: [{ content: `Long: ${long}`, importance: 5 }] }, program);
const status = await ask(path, { type: "status" }, here);
const found = await ask(path, { type: "search", query: "when does the ferry leave?", limit: 1 }, here);
const wrong = await ask(path, { type: "get", id: "mem_nothing" }, here);
console.log(JSON.stringify({ kept, other, ready: status.ready, found, wrong }));
"""


def test_every_request_stands_in_the_table_with_its_reply() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \| `(\w+)` \| (yes)? ?\|$", PAGE, re.MULTILINE))
    assert rows == {
        (
            str(kind.__struct_config__.tag),
            str(kind.reply.__struct_config__.tag),
            "yes" if kind.needs_memory else "",
        )
        for kind in get_args(AnyRequest)
    }


def test_the_client_in_another_language_asks_the_daemon(short_home: Path, models: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    code = re.search(r"```js\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    assert len(code.group(1).splitlines()) <= LONGEST
    (tmp_path / "memoryd.mjs").write_text(code.group(1), encoding="utf-8")
    (tmp_path / "calls.mjs").write_text(CALLS, encoding="utf-8")
    with RunningDaemon(short_home, models) as daemon:
        run = subprocess.run(
            [node, "calls.mjs", str(daemon.paths.rpc_socket), PROJECT],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert run.returncode == 0, run.stderr
        said = json.loads(run.stdout)
        with daemon.client() as client:
            memory = client.get(said["kept"]["memories"][0]["id"])
    assert memory.content == "The ferry to Aran sails at nine. ü"
    assert memory.agent == "node"
    assert said["other"]["memories"][0]["importance"] == 5
    assert said["ready"] is True
    assert said["found"]["hits"][0]["id"] == memory.id
    assert said["found"]["hits"][0]["timestamp"][:10] == f"{memory.created_at:%Y-%m-%d}"
    assert (said["wrong"]["type"], said["wrong"]["code"]) == ("failure", "not_found")
