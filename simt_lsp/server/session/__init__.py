"""One client and its server: what happens when a message arrives or an analysis ends."""
