"""LanceDB without its client for catalogues does everything that memoryd asks of it."""

import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import asyncio, sys
import pyarrow as pa
from memoryd.index.importing import import_lancedb

lancedb = import_lancedb()
assert import_lancedb() is lancedb

async def use(url):
    database = await lancedb.connect_async(url)
    await database.create_table("words", pa.table({"word": ["tea", "coffee"]}))
    table = await database.open_table("words")
    print(await table.count_rows("word = 'tea'"), (await database.list_tables()).tables)

asyncio.run(use(sys.argv[1]))
from lance_namespace_urllib3_client.models import JsonArrowSchema
print(hasattr(JsonArrowSchema, "model_fields"))
"""


def test_tables_are_written_read_and_listed_without_the_client(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _SCRIPT, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1 ['words']\nFalse\n", "")
