"""The command line: `check`, `explain`, `facts`, `ir`, and the start of the server."""
