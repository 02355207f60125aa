"""Install the wheel with each extra alone, and print its size and import time.

Every row is an environment of its own, without pip and compiled Python. Seconds are CPU time, the best
of five, of importing what the extra is for.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from environments import build_wheel, empty_environment, install, run

IMPORTS = {
    "": "from gatree import GATreeClassifier, load_dataset",
    "dask": "import gatree.experiments.dask_pool",
    "onnx": "import onnx",
    "parquet": "import pyarrow",
    "all": "from gatree import GATreeClassifier; import gatree.report.page",
}


def main() -> None:
    """Measure all, or the extras that are named."""
    wanted = sys.argv[1:] or list(IMPORTS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = build_wheel(folder)
        print("| installed | libraries | MB | imports | seconds |\n|---|---|---|---|---|")
        for extra in wanted:
            python = empty_environment(folder / f"venv-{extra}")
            install(python, wheel, extra)
            run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "setuptools", "pip")
            print(_row(extra, python), flush=True)


def _row(extra: str, python: Path) -> str:
    packages = next((python.parents[1] / "lib").glob("python*/site-packages"))
    megabytes = sum(f.stat().st_size for f in packages.rglob("*") if f.is_file() and f.suffix != ".pyc") / 1e6
    n_libraries = sum(1 for _ in packages.glob("*.dist-info")) - 1
    name = f"`gatree-lab[{extra}]`" if extra else "`gatree-lab`"
    seconds = min(_cpu_seconds(python, IMPORTS[extra]) for _ in range(5))
    return f"| {name} | {n_libraries} | {megabytes:.0f} | `{IMPORTS[extra]}` | {seconds:.2f} |"


def _cpu_seconds(python: Path, code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([python, "-I", "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
