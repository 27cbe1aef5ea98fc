"""What the exact analysis of convergence says about a line."""
