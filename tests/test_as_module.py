"""`python -m gatree` where another distribution, which is called gatree, has replaced our files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "gatree"


def test_the_command_refuses_to_run_inside_the_other_projects_package(tmp_path: Path):
    package = tmp_path / "gatree"
    package.mkdir()
    for entry in PACKAGE.iterdir():
        if entry.name != "__init__.py":
            (package / entry.name).symlink_to(entry)
    (package / "__init__.py").write_text("__version__ = '0.2.0'\n")
    command = [sys.executable, "-m", "gatree", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: gatree has replaced files of gatree-lab; uninstall both, then install gatree-lab\n"
    )
