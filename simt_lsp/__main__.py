"""Entry point: `simt-lsp`."""


def main() -> None:
    """Run the command line."""
