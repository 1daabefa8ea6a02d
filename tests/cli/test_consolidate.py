"""`memoryd consolidate`, with a daemon."""

import msgspec

from memoryd_client.wire.consolidation import Consolidation, ConsolidationPlan

from .memoryd_command import Command


def test_a_plan_a_run_and_its_report(served: Command) -> None:
    assert "nothing was consolidated yet" in served("consolidate", "--report").stderr
    title = "Notes from the gardening club about tulips, roses and the spring market"
    older = served.ok("add", "Ana parks the van behind the bakery.", "--title", title).strip()
    served.ok("forget", older)
    newer = served.ok("add", "Ana parks the van behind the bakery!").strip()
    served.ok("restore", older)
    plan = msgspec.json.decode(served.ok("consolidate", "--dry-run", "--json"), type=ConsolidationPlan)
    (pair,) = plan.pairs
    assert (pair.older, pair.newer, pair.action) == (older, newer, "merge")
    shown = served.ok("consolidate", "--dry-run")
    assert "merge" in shown
    assert "bakery!" in shown
    run = msgspec.json.decode(served.ok("consolidate", "--json"), type=Consolidation)
    assert run.counts["merged"] == 1
    assert run.finished_at
    assert "1 merged" in served.ok("consolidate", "--report")
    assert "last_run" in served.ok("status")
    assert served("consolidate", "--report", "--dry-run").returncode == 1
