"""The wire: every message that crosses a socket, a noun a file, each request beside its reply."""
