"""Writes the pages of the rules; a test fails while they are not current."""

from __future__ import annotations

from pathlib import Path

from analysis.rules.documentation import rule_pages


def main() -> None:
    folder = Path(__file__).parent
    for name, text in rule_pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
