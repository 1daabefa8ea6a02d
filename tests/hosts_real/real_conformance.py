"""The official conformance scenarios of the Model Context Protocol, as far as they apply to a server of memory.

Not run with the other tests: the suite comes from npm. `make test-hosts` runs it. What does not apply: scenarios that
ask for tools, resources and prompts of the suite's own (`test_simple_text`, `test://static-text`, ...), for what
memoryd does not offer (subscriptions, sampling, elicitation), and for what belongs to HTTP.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from running import RunningDaemon

from .clients import install_node, package
from .mcp_bridge import McpBridge

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
"""The first that has the era of 2026."""
LEGACY = ("2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
SCENARIOS = (
    *(
        (version, scenario)
        for version in LEGACY
        for scenario in (
            "server-initialize",
            "ping",
            "logging-set-level",
            "completion-complete",
            "tools-list",
            "resources-list",
            "prompts-list",
        )
    ),
    *(
        (MODERN, scenario)
        for scenario in (
            "server-stateless",
            "completion-complete",
            "tools-list",
            "resources-list",
            "prompts-list",
            "caching",
            "sep-2164-resource-not-found",
            "input-required-result-unsupported-methods",
            "input-required-result-validate-input",
            "dns-rebinding-protection",
        )
    ),
)
NOT_OURS = {
    "sep-2575-http-server-header-mismatch-400",  # a header of HTTP
    # These ask for tools of the suite's own.
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
"""Checks within a scenario that applies."""


@pytest.fixture(scope="module")
def bridge(models: Path) -> Iterator[McpBridge]:
    home = Path(tempfile.mkdtemp(prefix="md-"))
    with RunningDaemon(home, models) as daemon:
        with daemon.client("s1") as client:
            client.remember("The ferry to Aran sails at nine.")
        made = McpBridge(daemon.environment)
        yield made
        made.close()
    shutil.rmtree(home, ignore_errors=True)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("version", "scenario"), SCENARIOS)
def test_the_official_scenarios_pass(bridge: McpBridge, version: str, scenario: str, tmp_path: Path) -> None:
    node = install_node()
    suite = package("conformance", SUITE, node) / ".bin/conformance"
    wanted = ("--scenario", scenario, "--spec-version", version, "--output-dir", str(tmp_path))
    path = f"{node}:{os.environ['PATH']}"
    done = subprocess.run(
        [suite, "server", "--url", bridge.url, *wanted],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    found = list(tmp_path.rglob("checks.json"))
    assert found, done.stdout + done.stderr
    checks = json.loads(found[0].read_text())
    failed = [check for check in checks if check["status"] == "FAILURE" and check["id"] not in NOT_OURS]
    assert not failed
    assert any(check["status"] == "SUCCESS" for check in checks)
