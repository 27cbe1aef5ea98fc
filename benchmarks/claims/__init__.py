"""Holds every static claim about a kernel against runs of it: see `__main__`."""
