"""Inline PTX: `asm("...")`."""
