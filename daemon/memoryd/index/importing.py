"""The import of LanceDB without its client for remote catalogues, which memoryd has no use for."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_CATALOGUE_CLIENT = "lance_namespace_urllib3_client"
"""Several hundred generated pydantic classes. Building them takes .5 s of a core and 20 to 38 MB at each start."""


def import_lancedb() -> ModuleType:
    """Import LanceDB, with plain records in place of its catalogue client where nobody has imported that yet.

    LanceDB names the client's classes while it is imported, and uses them only for catalogues behind a REST service.
    Tables in a folder or an object store, opened by `connect_async`, go past them.
    """
    if "lancedb" in sys.modules or _CATALOGUE_CLIENT in sys.modules:
        return import_module("lancedb")
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        return import_module("lancedb")
    finally:
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder, Loader):
    """Finds the client and each of its modules, all of them empty."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != _CATALOGUE_CLIENT:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Empty(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _Empty(ModuleType):
    """A module in which every class that is asked for is there, as a plain record."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_Record,), {"__module__": self.__name__})


class _Record:
    """Holds the fields that it is made with, as some answers of LanceDB's are."""

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)
