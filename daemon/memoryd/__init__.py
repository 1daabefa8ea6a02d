"""How memoryd runs on this machine: composition root, IPC server and the adapters behind the ports."""

from importlib.metadata import version

__version__ = version("memoryd")
