"""Several files that belong together: what each says at a glance, and who uses whom."""
