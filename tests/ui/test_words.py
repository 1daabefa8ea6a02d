"""What somebody calls a session, an agent or a category cannot steer the terminal in which it is shown."""

from memoryd_cli.ui.turns import LiveTurn, Written
from memoryd_cli.ui.words import found_row, turn_details, turn_row

STEERS = "S\x1b[31mRED\x1b]0;owned\x07\x1b]52;c;AAAA\x07\x9b31m\u202e"


def test_no_name_of_a_turn_or_a_memory_steers_the_terminal() -> None:
    turn = LiveTurn(key="k", session=STEERS, number=3, at="2026-01-02T03:04:05+00:00", project=STEERS, agent=STEERS)
    turn.written.append(Written("ADD", "mem_1", STEERS, STEERS, STEERS, STEERS))
    for shown in (turn_row(turn), turn_details(turn), found_row(STEERS, STEERS, 0.5)):
        assert "RED" in shown.plain
        assert all(one == "\n" or one.isprintable() for one in shown.plain), shown.plain
