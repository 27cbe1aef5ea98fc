"""Kernels simulated for an editor: each in a process of its own, results by document."""
