"""Drawings of Petri nets and of their state spaces."""
