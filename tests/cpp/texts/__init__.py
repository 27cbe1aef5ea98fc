"""CUDA texts that random programs are made of, written for these tests."""
