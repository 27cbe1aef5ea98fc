"""What a running warp keeps and what ends it: its frames, the faults that it met, the work that is left."""
