"""Expressions to values; `analysis.lower.handlers` imports every module, which registers the handlers."""
