"""Labels by which users say which project something belongs to."""

import pytest

from memoryd_actors.texts.labels import project_label


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("Fix the ads, project: HDRpop", "hdrpop"),
        ("project: hdrpop\nWhy are the ads paused?", "hdrpop"),
        ("Pause the ads (project: hdr-pop.v2).", "hdr-pop.v2"),
        ("project:hdrpop fix the ads", "hdrpop"),
        ("Projekt: Fähre. Wann fährt sie?", "fähre"),
        ("project: otter -- the sonar is loud", "otter"),
        ("project: otter \u2013 the sonar is loud", "otter"),
        ("project: otter \u2014 the sonar is loud", "otter"),
        ('project: "sea otter", the sonar is loud', "sea-otter"),
        ("Projekt: \u201eSeeotter\u201c. Das Sonar ist laut.", "seeotter"),
        ("The sonar is loud #project:otter", "otter"),
        ("project: sea-otter is late", ""),
        ('project: "we need more of them', ""),
        ("project: we need more of them", ""),
        ("project: hdrpop The ads are paused", ""),
        ("our project: hdrpop is late", ""),
        ("The subproject: none", ""),
        ("project:", ""),
    ],
)
def test_a_label_is_a_name_that_ends_its_line_or_clause(said: str, label: str) -> None:
    assert project_label([said]) == label


def test_the_last_label_counts() -> None:
    assert project_label(["project: nixe", "project: otter -- the sonar is loud"]) == "otter"
    assert project_label(["project: one", "nothing", "now project: two"]) == "two"
