"""How numbers, days and what is counted are written out in one language."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one language has for them, in lower case where nothing else is said."""

    months: tuple[str, ...]
    """The names of each, January first; short ones too."""
    months_in_lower_case: bool = False
    days: tuple[str, ...]
    """The names of each, Monday first."""
    relative: dict[str, str]
    """Words such as today, with what they are called in English."""
    cardinals: dict[int, str]
    """Words that are that number and nothing else."""
    hesitant: dict[int, str] = field(default_factory=dict[int, str])
    """Words that may be something else: `neuf` is new, `both` is more than two."""
    ordinals: tuple[str, ...]
    """First, second and so on."""
    scales: dict[int, str]
    """What multiplies the number before it."""
    hundreds: str = ""
    """Forms of hundred that only ever stand behind a number word of this language."""
    ands: str = ""
    """Words within a number: `one hundred and five`."""
    units: dict[str, str]
    """By the name that stands for all of them, case included: what a number counts, and what else it is called."""
