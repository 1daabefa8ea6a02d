"""`memoryd consolidate`, with a daemon."""

import msgspec

from memoryd_client.wire.consolidation import Consolidation, ConsolidationPlan

from .memoryd_command import Command


def test_a_plan_a_run_and_its_report(served: Command) -> None:
    assert "nothing was consolidated yet" in served("consolidate", "--report").stderr
    served.ok("add", "Ana parks the van behind the bakery.")
    plan = msgspec.json.decode(served.ok("consolidate", "--dry-run", "--json"), type=ConsolidationPlan)
    # Without a key nothing is compared once more.
    assert (plan.judge, plan.pairs) == ("local", ())
    run = msgspec.json.decode(served.ok("consolidate", "--json"), type=Consolidation)
    assert run.finished_at
    assert str(run.number) in served.ok("consolidate", "--report")
    assert "last_run" in served.ok("status", "--all")
    assert served("consolidate", "--report", "--dry-run").returncode == 1
