"""Memories that have a path, as files (seed 000, section 6)."""

from memoryd_actors.virtual_files.files import FileBook as FileBook
from memoryd_actors.virtual_files.files import VirtualFiles as VirtualFiles

__all__ = ["FileBook", "VirtualFiles"]
