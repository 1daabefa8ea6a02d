"""Transcripts as files: a folder for each owner, in it one for each session, in that JSON lines and metadata."""

from memoryd.transcripts.jsonl import JsonlTranscripts as JsonlTranscripts

__all__ = ["JsonlTranscripts"]
