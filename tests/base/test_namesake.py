"""The other project called gatree, installed next to ours: real metadata in a folder on sys.path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "gatree"
SENTENCE = (
    "the distribution gatree 0.2.0 in {folder} is another project, whose package has the name and the folder "
    "of this one: run `pip uninstall gatree` and install gatree-lab again"
)
LOOK = "import sys, gatree; print(gatree.__version__, 'importlib.metadata' in sys.modules)"


def install(folder: Path, *files: str) -> None:
    """Write what pip leaves of a distribution called gatree with these files."""
    metadata = folder / "gatree-0.2.0.dist-info"
    metadata.mkdir()
    for file in files:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).touch()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: gatree\nVersion: 0.2.0\n")
    (metadata / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with ours before that folder on the path; with -m the folder it runs in comes first."""
    paths = os.pathsep.join(map(str, (PACKAGE.parent, folder)))
    environment = os.environ | {"PYTHONPATH": paths}
    command = [sys.executable, *arguments]
    where = folder if "-m" in arguments else folder.parent
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)


def test_importing_beside_the_other_project_says_so(tmp_path: Path):
    install(tmp_path, "gatree/__init__.py", "gatree-0.2.0.dist-info/METADATA")
    done = python(tmp_path, "-c", LOOK)
    assert done.returncode == 0
    assert done.stderr.count(SENTENCE.format(folder=tmp_path)) == 1


def test_nothing_is_said_or_loaded_otherwise(tmp_path: Path):
    (tmp_path / "gatree_lab-0.1.0.dist-info").mkdir()
    done = python(tmp_path, "-S", "-c", LOOK)  # without what else is installed here
    assert done.stderr == ""
    assert done.stdout.split()[1] == "False"
    install(tmp_path, "_gatree.pth", "gatree-0.2.0.dist-info/METADATA")  # once in place, under the old name
    assert python(tmp_path, "-S", "-c", LOOK).stderr == ""


def test_the_command_refuses_to_run_inside_the_other_projects_package(tmp_path: Path):
    install(tmp_path, "gatree/__init__.py")
    for entry in PACKAGE.iterdir():
        if entry.name != "__init__.py":
            (tmp_path / "gatree" / entry.name).symlink_to(entry)
    (tmp_path / "gatree" / "__init__.py").write_text("__version__ = '0.2.0'\n")
    done = python(tmp_path, "-m", "gatree", "--version")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {SENTENCE.format(folder=tmp_path)}\n"
