"""What has crossed the sockets."""

import msgspec


class SocketStatistics(msgspec.Struct):
    """Counts since the start."""

    updates: int = 0
    """Context updates handed on."""
    requests: int = 0
    """Requests that could be read."""
    replies: int = 0
    """Replies sent, failures included."""
    failures: int = 0
    """Replies that were failures."""
    bad_updates: int = 0
    """Frames on the push socket that were no context update of this protocol version."""
    bad_requests: int = 0
    """Frames on the rpc socket that were no request of this protocol version."""
    too_large: int = 0
    """Frames, on either, above the size limit; far larger ones cost the sender its connection and are not seen."""
    bugs: int = 0
    """Errors that nobody expected, of requests, updates and who listens to them; the log has the traceback."""
    dropped: int = 0
    """Replies and events that could not be sent."""
    events: int = 0
    """Events published."""
    connections: int = 0
    """Connections now, of all three sockets."""
    turned_away: int = 0
    """Connections above the cap, which were ended."""
    running: int = 0
    """Requests being answered now."""

    def count_bug(self) -> None:
        """Count an error that nobody expected."""
        self.bugs += 1

    @property
    def messages(self) -> int:
        """How many came, of use or not."""
        return self.updates + self.requests + self.bad_updates + self.bad_requests + self.too_large
