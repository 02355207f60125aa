"""The optional libraries, and the extra of the distribution that installs each.

Code that needs one imports it inside ``with extras():``. If the library is missing, the error says what to
install.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gatree.base.errors import MissingLibraryError

EXTRA_OF = {
    "distributed": "dask",
    "onnx": "onnx",
    "openpyxl": "excel",
    "pyarrow": "parquet",
}
"""The extra of gatree-lab that installs an optional library, by the library's import name."""

_CALLED = {"distributed": "Dask"}


@contextmanager
def extras() -> Iterator[None]:
    """Turn a failed import of an optional library into an error that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRA_OF:
            raise
        raise MissingLibraryError(
            f"this needs {_CALLED.get(library, library)}, which is not installed: "
            f"pip install '{_installed_from()}[{EXTRA_OF[library]}]'",
            name=library,
        ) from error


def _installed_from() -> str:
    """Return what pip can install gatree from: a clone, a wheel, or the distribution's name."""
    source = _clone() or _recorded_source()
    if source is None or not source.exists():
        return "gatree-lab"
    return "." if source.resolve() == Path.cwd().resolve() else str(source)


def _clone() -> Path | None:
    """Return the clone that contains this file, if any."""
    folder = Path(__file__).resolve().parents[2]
    return folder if (folder / "pyproject.toml").is_file() else None


def _recorded_source() -> Path | None:
    """Return the folder or wheel that pip recorded as the source of the installation (PEP 610)."""
    import json  # imported here because few commands need these
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import unquote, urlsplit

    try:
        record = distribution("gatree-lab").read_text("direct_url.json")
        url = urlsplit(json.loads(record or "{}")["url"])
    except (PackageNotFoundError, LookupError, ValueError):
        return None
    return Path(unquote(url.path)) if url.scheme == "file" else None
