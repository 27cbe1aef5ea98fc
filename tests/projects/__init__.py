"""Random projects whose launches are known, as referee of what is claimed about kernels in other files."""
