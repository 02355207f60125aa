"""The libraries that only parts of gatree need: which extra of the distribution brings which.

The core is what evolving takes. A part that needs more just imports it; where the library may be missing,
the import happens inside ``with extras():``, and the error says what to install.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gatree.base.errors import MissingLibraryError

EXTRA_OF = {
    "click": "cli",
    "msgspec": "cli",
    "rich": "cli",
    "tabulate": "cli",
    "distributed": "dask",
    "matplotlib": "plot",
    "onnx": "onnx",
    "pandas": "pandas",
    "pyarrow": "parquet",
    "jinja2": "report",
    "markupsafe": "report",
    "scipy": "sklearn",
    "sklearn": "sklearn",
}
"""The smallest extra of gatree-lab that brings an optional library, by the name it is imported by."""

_CALLED = {"sklearn": "scikit-learn", "distributed": "Dask"}


@contextmanager
def extras() -> Iterator[None]:
    """Turn the failing import of an optional library into an error that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRA_OF:
            raise
        raise MissingLibraryError(
            f"this needs {_CALLED.get(library, library)}, which is not installed: "
            f"pip install 'gatree-lab[{EXTRA_OF[library]}]'",
            name=library,
        ) from error
