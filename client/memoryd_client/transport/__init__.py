"""How bytes travel: the queue of pushes, the sockets, a request and its reply, the events."""
