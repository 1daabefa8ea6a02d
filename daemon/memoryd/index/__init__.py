"""The search index, in LanceDB. Importing this loads none of it; opening an index does."""

from memoryd.index.lance import LanceIndex as LanceIndex
from memoryd.index.messages import LanceMessages as LanceMessages

__all__ = ["LanceIndex", "LanceMessages"]
