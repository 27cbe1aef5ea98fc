"""Messages in and out: what the protocol needs, what the client can do, long answers as text."""
