"""What is worth a diagnostic: one file, one rule, with its message and its documentation."""
