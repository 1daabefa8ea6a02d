"""What a start has read of libraries is handed back, and nothing else."""

import json
import subprocess
import sys

import pytest

from memoryd.heap import library_pages

LARGE = """\
7f10-7f20 r-xp 00000000 08:01 17 {file}
Size:               4096 kB
Rss:                1024 kB
Anonymous:             {written} kB
Swap:                  {swapped} kB
"""
USED = """
import json, pathlib
import numpy, pyarrow
from memoryd.heap import hand_back_libraries

def now():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith("Rss")}

before = now()
hand_back_libraries()
after = now()
total = pyarrow.array(numpy.arange(1000)).to_numpy().sum()
print(json.dumps([before, after, int(total)]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nothing is handed back elsewhere")
def test_pages_of_libraries_are_handed_back_and_come_again_when_they_are_used() -> None:
    done = subprocess.run([sys.executable, "-c", USED], check=True, stdout=subprocess.PIPE)
    before, after, total = json.loads(done.stdout)
    assert after["RssFile"] < before["RssFile"] / 2
    assert after["RssAnon"] > before["RssAnon"] - 1000
    assert total == 499_500


@pytest.mark.parametrize(
    ("file", "written", "swapped", "permissions", "expected"),
    [
        ("/usr/lib/liblarge.so.3", 0, 0, "r-xp", [(0x7F10, 0x10)]),
        ("/usr/lib/liblarge.so", 0, 0, "r--p", [(0x7F10, 0x10)]),
        ("/usr/lib/liblarge.so", 4, 0, "r--p", []),
        ("/usr/lib/liblarge.so", 0, 4, "r--p", []),
        ("/usr/lib/liblarge.so (deleted)", 0, 0, "r-xp", []),
        ("/usr/lib/liblarge.so", 0, 0, "rw-p", []),
        ("/home/somebody/index/resident/vectors", 0, 0, "r--p", []),
        ("", 0, 0, "r--p", []),
    ],
)
def test_only_what_a_library_file_has_as_it_is_is_handed_back(
    file: str, written: int, swapped: int, permissions: str, expected: list[tuple[int, int]]
) -> None:
    mapping = LARGE.format(file=file, written=written, swapped=swapped).replace("r-xp", permissions)
    assert library_pages(mapping * 2) == expected * 2


def test_what_is_mapped_beside_a_library_is_not_taken_for_it() -> None:
    written = LARGE.format(file="/usr/lib/liblarge.so", written=4, swapped=0)
    assert library_pages(written + LARGE.format(file="", written=0, swapped=0)) == []
