"""One hypothesis profile for all: the same examples every time, and no limit on a slow first call.

With the JIT switched off (`NUMBA_DISABLE_JIT=1`) kernels run as plain Python: fewer examples, and the
wrap-around of unsigned integers, which compiled code does silently, is no warning.
"""

import gc
import importlib
import os
import signal
import sys
import warnings

import pytest
from hypothesis import given, settings, strategies

gc.disable()  # until all tests are imported: nothing of what is imported can be freed

JIT_IS_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

# Started in the background, pytest may inherit that these are ignored, and so would the processes of tests.
for ignored, handler in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, handler)

settings.register_profile("gatree", derandomize=True, deadline=None, max_examples=10 if JIT_IS_OFF else 16)
settings.register_profile(
    "new-seeds", settings.get_profile("gatree"), derandomize=False, print_blob=True, max_examples=200
)
settings.load_profile("gatree")


@settings(max_examples=1)
@given(strategies.none())
def _draw_once(_):
    """Let hypothesis register its random numbers, which it looks for with the garbage collector."""


def pytest_collection_finish():
    """Let the garbage collector pass over what the imports have made."""
    _draw_once()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="module")  # not longer: its threads draw random numbers, which hypothesis minds
def cluster_address():
    """The address of a Dask cluster of two workers, threads of this process that a module's tests share."""
    from clusters import distributed

    # Any free port for the dashboard, or two of pytest's processes would want the same.
    with distributed.LocalCluster(
        n_workers=2, processes=False, protocol="tcp", host="127.0.0.1", threads_per_worker=2,
        dashboard_address="127.0.0.1:0", memory_limit=None,
    ) as cluster:  # fmt: skip
        yield cluster.scheduler_address


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put packages with plug-ins on the path, with the metadata that an installation leaves."""
    from gatree.base import plugins

    monkeypatch.syspath_prepend(tmp_path)

    def forget():
        importlib.invalidate_caches()
        for known in (plugins._all_registered, plugins._loaded):
            known.cache_clear()

    def install(package, source, group, *points):
        module = package.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
        about = tmp_path / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join([f"[{group}]", *points, ""]))
        forget()
        monkeypatch.delitem(sys.modules, module, raising=False)
        return tmp_path / f"{module}.py"

    yield install
    forget()


if JIT_IS_OFF:

    @pytest.fixture(autouse=True)
    def _wrap_around_silently():
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)
            yield
