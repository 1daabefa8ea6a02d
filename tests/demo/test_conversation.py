"""The conversation that comes with the demo: is it the one that is promised?"""

from collections import Counter

from memoryd_cli.demo.transcript import DemoMessage, builtin_transcript

TRANSCRIPT = builtin_transcript()
BY_THE_USER = [said for said in TRANSCRIPT.said if said.message.role == "user"]


def sessions_that_say(*words: str) -> set[str]:
    return {said.session for said in BY_THE_USER if set(said.message.content.lower().split()) & set(words)}


def test_it_has_forty_turns_in_five_sessions_and_no_line_is_broken() -> None:
    assert TRANSCRIPT.turns >= 40
    assert len(TRANSCRIPT.sessions) >= 5
    assert TRANSCRIPT.problems == ()
    assert min(Counter(said.session for said in BY_THE_USER).values()) >= 5


def test_german_and_french_are_spoken() -> None:
    assert sessions_that_say("ist", "wird", "und")
    assert sessions_that_say("moi,", "est", "du")


def test_time_only_moves_forward() -> None:
    moments = [said.at for said in TRANSCRIPT.said if said.at is not None]
    assert len(moments) == len(TRANSCRIPT.said)
    assert moments == sorted(moments)


def test_what_is_expected_was_remembered_in_an_earlier_session() -> None:
    remembered: dict[str, str] = {}
    expected = 0
    for said in TRANSCRIPT.said:
        for label in said.expects:
            expected += 1
            assert remembered.get(label) not in {None, said.session}, f"{said.session}: {label}"
        remembered |= {note.label: said.session for note in said.notes}
    assert expected >= 20
    assert "" not in remembered


def test_every_fact_comes_back_somewhere_but_for_a_few_that_nobody_asks_for() -> None:
    remembered = {note.label for said in TRANSCRIPT.said for note in said.notes}
    asked_for = {label for said in TRANSCRIPT.said for label in said.expects}
    assert asked_for <= remembered
    assert len(asked_for) >= 0.75 * len(remembered)


def test_there_are_turns_after_which_nothing_should_come_and_none_wants_both() -> None:
    quiet = [said for said in BY_THE_USER if said.quiet]
    assert len(quiet) >= 12
    assert not [said for said in TRANSCRIPT.said if said.quiet and said.expects]


def test_only_the_user_asks_and_only_the_agent_remembers() -> None:
    def misplaced(said: DemoMessage) -> bool:
        user = said.message.role == "user"
        return bool(said.notes if user else said.expects or said.quiet)

    assert not [said for said in TRANSCRIPT.said if misplaced(said)]
    assert {said.message.role for said in TRANSCRIPT.said} == {"user", "assistant", "tool"}
