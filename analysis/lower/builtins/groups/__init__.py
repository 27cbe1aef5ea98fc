"""Cooperative groups: objects, ranks, synchronisation, exchange, partitions, reductions."""
