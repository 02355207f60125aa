"""Install the wheel into an empty environment in another folder and load every data set; `make wheel-check`.

It is no test of the suite because it needs a package registry and takes a minute.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PROJECT = Path(__file__).parents[2]
LOAD_ALL = """
import gatree
from gatree.data.catalog import catalog, load_dataset, verify
for entry in catalog():
    verify(entry)
    print(f"{entry.name:15}{load_dataset(entry.name).n_instances:6} instances")
print("from", gatree.__file__)
"""


def main() -> None:
    """Build, install, load."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, PROJECT)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        _run(python, "-m", "pip", "install", "--quiet", wheel)
        _run(python, "-I", "-c", LOAD_ALL, cwd=folder)


def _run(*command: str | Path, cwd: Path | None = None) -> None:
    done = subprocess.run([str(word) for word in command], cwd=cwd, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
