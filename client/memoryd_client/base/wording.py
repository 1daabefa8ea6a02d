"""How people are told how many there are of something."""


def counted(number: int, thing: str) -> str:
    """Return a number with what it counts: 1 memory, 2 memories, 1,200 entries."""
    if number == 1:
        return f"1 {thing}"
    return f"{number:,} {thing[:-1]}ies" if thing.endswith("y") else f"{number:,} {thing}s"
