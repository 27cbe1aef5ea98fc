"""On which side of a mixed text a function runs, and what its text uses by name of the other side."""
