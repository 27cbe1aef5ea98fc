"""Which findings count: what a baseline knows, what a change is about, and what ends with a status.

Everything here works on `Site`s: whoever reports findings of whatever kind says of each where it stands.
"""
