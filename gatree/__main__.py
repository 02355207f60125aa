"""The command `gatree`, and `python -m gatree`: what is looked at before the command line is loaded."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, or say what keeps it from starting."""
    import gatree
    from gatree.base.namesake import clash

    if "evolve" not in dir(gatree):
        sys.exit(f"error: {clash()}")
    from gatree.cli.main import main as command_line

    command_line()


if __name__ == "__main__":
    main()
