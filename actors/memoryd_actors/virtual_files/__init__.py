"""Memories that have a path, as files."""

from memoryd_actors.virtual_files.files import FileRepository as FileRepository
from memoryd_actors.virtual_files.files import VirtualFiles as VirtualFiles

__all__ = ["FileRepository", "VirtualFiles"]
