"""Templates of the standard library that are about types: what they mean for given arguments."""
