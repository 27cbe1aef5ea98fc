"""What to say about a place, as plain data over file offsets: no LSP types, no positions."""
