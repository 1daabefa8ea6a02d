"""What redaction replaces besides secrets."""

import msgspec

from memoryd_actors.redaction.personal import DEFAULT_KINDS, PersonalData


class Variable(msgspec.Struct, frozen=True):
    """One line of an environment file."""

    name: str
    value: str

    def __repr__(self) -> str:
        """Leave out the value."""
        return f"Variable({self.name})"


class Rules(msgspec.Struct, frozen=True):
    """What is replaced in a text."""

    personal_data: frozenset[PersonalData] = frozenset(DEFAULT_KINDS)
    words: tuple[str, ...] = ()
    """The user's own words, in whatever case: a name, a customer, a street."""
    environment: tuple["Variable", ...] = ()
    """What stands in the project's environment files."""

    def __repr__(self) -> str:
        """Leave out what is to be replaced: a representation ends in logs."""
        known = f"{len(self.words)} words, {len(self.environment)} variables"
        return f"Rules({sorted(self.personal_data)}, {known})"


DEFAULT = Rules()
"""What is in force without settings."""
