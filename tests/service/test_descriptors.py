import resource
import subprocess
import sys

import pytest

PRINTED = """
import resource
from memoryd.descriptors import allow_many
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
allow_many()
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(("soft", "hard", "expected"), [(256, 4096, 4096), (256, 256, 256), (1024, 2048, 2048)])
def test_a_process_allows_itself_as_many_open_files_as_it_may(soft: int, hard: int, expected: int) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < hard:
        pytest.skip("this process may not have so many itself")
    program = PRINTED.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) == expected
