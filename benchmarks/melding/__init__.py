"""Melding measured: what it does to kernels with the shapes of the paper, beside the paper's figures."""
