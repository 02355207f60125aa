"""Build genetic-tree 0.1.0 from its source archive, in whose environment this runs.

The archive holds the generated C files but not the script that `setup.py` calls to generate them, so pip
cannot build it; an empty script in its place is all it takes.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from pypi_simple import PYPI_SIMPLE_ENDPOINT, PyPISimple

ARCHIVE = "genetic-tree-0.1.0.tar.gz"


def main():
    """Download, patch and install."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with PyPISimple(os.environ.get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT)) as index:
            packages = index.get_project_page("genetic-tree").packages
            archive = next(package for package in packages if package.filename == ARCHIVE)
            index.download_package(archive, folder / ARCHIVE)
        with tarfile.open(folder / ARCHIVE) as files:
            files.extractall(folder)
        source = folder / "genetic-tree-0.1.0"
        (source / "bin").mkdir()
        (source / "bin" / "cythonize.py").touch()
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", str(source)]
        subprocess.run(install, check=True)


main()
