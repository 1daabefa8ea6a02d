"""Documents that the user gave to memory: read, kept passage by passage, read again when they change."""

from memoryd_actors.knowledge.document_text import DocumentReader as DocumentReader
from memoryd_actors.knowledge.document_text import DocumentSection as DocumentSection
from memoryd_actors.knowledge.document_text import DocumentText as DocumentText
from memoryd_actors.knowledge.document_text import FileStamp as FileStamp
from memoryd_actors.knowledge.document_text import FoundDocuments as FoundDocuments
from memoryd_actors.knowledge.knowledge_base import KnowledgeBase as KnowledgeBase

__all__ = ["DocumentReader", "DocumentSection", "DocumentText", "FileStamp", "FoundDocuments", "KnowledgeBase"]
