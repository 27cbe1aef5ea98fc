"""Everything known about one file: the entry point of `analysis` for rules, features, the shell and the server."""
