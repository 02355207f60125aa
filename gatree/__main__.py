"""The command `gatree`, and `python -m gatree`: what is looked at before the command line is loaded."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, or say what keeps it from starting."""
    import gatree

    if "evolve" not in dir(gatree):  # the distribution gatree, another project, has a package of this name
        sys.exit("error: gatree has replaced files of gatree-lab; uninstall both, then install gatree-lab")
    from gatree.cli.main import main as command_line

    command_line()


if __name__ == "__main__":
    main()
