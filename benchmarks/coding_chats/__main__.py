"""What rules keep of chats about code: `python -m benchmarks.coding_chats`; beside it, keeping every user turn."""

from benchmarks.coding_chats import NAMES, read, score

for name in NAMES:
    turns = read(name)
    users = [one for one in turns if one.role == "user"]
    print(f"\n{name}: {len(turns)} turns, {sum(len(one.keep) for one in turns)} things worth keeping")
    print(f"  {'':20}{'memories':>9}{'precision':>11}{'recall':>8}")
    for language in ("", *sorted({one.language for one in turns})):
        found = score([one for one in turns if not language or one.language == language])
        print(f"  {language or 'all':20}{found.kept:9}{found.precision:11.3f}{found.recall:8.3f}")
    every = sum(bool(one.keep) for one in users)
    share = every / sum(bool(one.keep) for one in turns)
    print(f"  {'every user turn':20}{len(users):9}{every / len(users):11.3f}{share:8.3f}")
