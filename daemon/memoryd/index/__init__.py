"""The search index, in LanceDB. Importing this loads none of it; opening an index does."""

from memoryd.index.lance import LanceIndex as LanceIndex

__all__ = ["LanceIndex"]
