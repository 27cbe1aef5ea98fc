"""A hover as text: first the verdict, then why, then the place."""

from __future__ import annotations

from analysis.features.hover_info import HoverInfo


def render_markdown(info: HoverInfo) -> str:
    """For editors that show Markdown."""
    raise NotImplementedError


def render_text(info: HoverInfo) -> str:
    """For editors and terminals that do not."""
    raise NotImplementedError
