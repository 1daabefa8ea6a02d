"""LanceDB, imported without what it asks for and nobody here uses."""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from threading import Lock
from types import ModuleType

UNUSED = "lance_namespace_urllib3_client"
"""A REST client of some 400 pydantic models, for LanceDB's servers. `import lancedb` imports it for the names of 20 of
them, and takes .35 s of a core instead of 1.05 without it, and 27 MB of anonymous memory instead of 47."""
_ONE_AT_A_TIME = Lock()


def load() -> None:
    """Import lancedb, which takes a third of a second; any thread may call it, and the first import has to come so."""
    import_without("lancedb", UNUSED)


def import_without(name: str, package: str) -> ModuleType:
    """Import a module; whatever it takes from `package` as it is imported is an empty class.

    Where it does more with these than name them, it is imported once more, with the package. Who imports the package
    later has it whole.
    """
    with _ONE_AT_A_TIME:
        if name in sys.modules or package in sys.modules:
            return importlib.import_module(name)
        before = set(sys.modules)
        finder = _Finder(package)
        sys.meta_path.insert(0, finder)
        try:
            return importlib.import_module(name)
        except Exception:  # whatever came of the empty classes; what fails without them as well is raised below
            _drop_who_named_blanks(before)
        finally:
            sys.meta_path.remove(finder)
            for made in finder.made:
                sys.modules.pop(made, None)
        return importlib.import_module(name)


class _Blank:
    """What stands for a class of the package."""

    def __init__(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} was left out, because memoryd does not use it")


class _Module(ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> type[_Blank]:
        if name.startswith("__"):
            raise AttributeError(name)
        blank = type(name, (_Blank,), {})
        setattr(self, name, blank)
        return blank


class _Finder(MetaPathFinder, Loader):
    """Finds the package and all below it, empty."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.made: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if fullname != self._package and not fullname.startswith(f"{self._package}."):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self.made.append(spec.name)
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: it is empty."""


def _drop_who_named_blanks(before: set[str]) -> None:
    """Forget the new modules of every package that has an empty class; binaries stay, they load once."""
    new = {name: module for name, module in sys.modules.items() if name not in before}
    packages = {name.partition(".")[0] for name, module in new.items() if _names_blanks(module)}
    for name, module in new.items():
        binary = isinstance(getattr(module.__spec__, "loader", None), ExtensionFileLoader)
        if name.partition(".")[0] in packages and not binary:
            del sys.modules[name]


def _names_blanks(module: ModuleType) -> bool:
    return any(isinstance(value, type) and issubclass(value, _Blank) for value in vars(module).values())
