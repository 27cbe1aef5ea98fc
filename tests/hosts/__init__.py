"""Random host code around launches, and what it really launches."""
