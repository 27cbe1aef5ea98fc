"""What the inputs of a kernel mean to it, read off its instructions: nothing is chosen and nothing runs here."""
