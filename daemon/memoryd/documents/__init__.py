"""Documents in files: found in folders, and read whatever their format."""

from memoryd.documents.files import DocumentFiles as DocumentFiles

__all__ = ["DocumentFiles"]
