"""Statements to blocks; `analysis.lower.handlers` imports every module, which registers the handlers."""
