"""Changes a text piece by piece, and remembers the pieces, so that they can be taken back to the byte."""

import msgspec


class Splice(msgspec.Struct, frozen=True):
    """One piece of a text that became another."""

    at: int
    old: str
    new: str


class Malformed(Exception):
    """Raised when a file cannot be understood, or says something where our entry belongs; the message says where."""


class ByHand(Malformed):
    """Raised when a file is in order and our entry cannot be put into it without loss; `text` is what to paste."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.text = text


class Edit:
    """A text that is being changed; None where there is no file."""

    def __init__(self, text: str | None) -> None:
        self.before = text
        self.text = text or ""
        self.splices: list[Splice] = []

    @property
    def changed(self) -> bool:
        """Whether anything is different now."""
        return bool(self.splices)

    def replace(self, start: int, end: int, new: str) -> None:
        """Put `new` where the text from `start` to `end` is, with the line ends that the text has."""
        if "\r\n" in self.text:
            new = new.replace("\r\n", "\n").replace("\n", "\r\n")
        old = self.text[start:end]
        if old != new:
            self.text = self.text[:start] + new + self.text[end:]
            self.splices.append(Splice(start, old, new))

    def insert(self, at: int, new: str) -> None:
        """Put `new` before the character at `at`."""
        self.replace(at, at, new)


def difference(before: str, after: str) -> Splice:
    """Return the one piece in which two texts differ."""
    start = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    if start is None:
        start = min(len(before), len(after))
    end = 0
    while end < min(len(before), len(after)) - start and before[-end - 1] == after[-end - 1]:
        end += 1
    return Splice(start, before[start : len(before) - end], after[start : len(after) - end])


def undone(text: str, splices: list[Splice]) -> str:
    """Return the text before the splices were made; it has to be the very text that they led to."""
    for splice in reversed(splices):
        text = text[: splice.at] + splice.old + text[splice.at + len(splice.new) :]
    return text


def without_gap(text: str, start: int) -> int:
    """Return where an entry that begins at `start` begins with the empty line before it."""
    gap = next((gap for gap in ("\r\n\r\n", "\n\n") if text[:start].endswith(gap)), "")
    return start - len(gap) // 2
