"""How memoryd runs on this machine: composition root, IPC server and the adapters behind the ports."""

from memoryd_client.version import VERSION

__version__ = VERSION
