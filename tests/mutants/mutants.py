"""Change the package in one place, run the fast tests on it, and list what no test notices; `make mutants`.

Mutants are drawn with a seed, equally from each package, in a temporary copy of the project. The tests
of the mutated package run first, and of those the ones that name the module; kernels are interpreted before
they are compiled. A mutant that survives meets the tests of the packages that use it. One whose tests run out
of CPU time, as with an endless loop, is found. Tests run in forks of this process, which has imported the
libraries and nothing of the package. With --output a run goes on where it ended. With --matrix all tests of a
package run on its mutants, to see which tests find what others do not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot  # noqa: F401
import numba
import pandas  # noqa: F401
import pytest
import sklearn.tree  # noqa: F401

from mutants.mutations import Mutation, mutated, mutations_of

ROOT = Path(__file__).parents[2]
USERS = {  # the tests of a package, and those of who uses it
    "evolution": ["optimum", "estimator", "experiments"],
    "front": ["estimator", "cli"],
    "j48": ["weka", "estimator", "cli"],
    "trees": ["evolution", "estimator", "cli"],
    "data": ["weka", "estimator", "cli"],
    "experiments": ["cli", "paper"],
    "paper": ["report", "cli"],
}
INTERPRETED, LOADED, COMPILED = 120, 300, 900
"""CPU seconds that the tests of a package may take, by whether its kernels are compiled on the way."""

BYTES = 16 << 30
FIXED_CACHE = ('f"kernels-{_sources_digest()}"', '"kernels-mutants"')


class Mutant(NamedTuple):
    """A mutation of a file."""

    package: str
    path: str
    mutation: Mutation

    @property
    def name(self) -> str:
        return f"{self.path}:{self.mutation.line} #{self.mutation.number}"


def main() -> None:
    """Draw mutants, run the tests on each, print those that survive and a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, help="50 mutants, and 20 with --matrix")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", action="append", choices=[*USERS], help="only these")
    parser.add_argument("--matrix", metavar="PACKAGE", help="count for each of its tests what it finds")
    parser.add_argument("--own", action="store_true", help="run the package's own tests only")
    parser.add_argument("--interpreted", action="store_true", help="do not compile mutants of kernels")
    parser.add_argument("--only", help="one mutant, as in the list: path:line #number")
    parser.add_argument(
        "--output", type=Path, help="keep what was found, as lines of JSON, and go on from there"
    )
    options = parser.parse_args()
    known, tested = {}, set()
    if options.output and options.output.exists():
        known = {row["name"]: row for row in map(json.loads, options.output.read_text().splitlines())}
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        folder = Path(temporary)
        copy_project(folder)
        packages = [options.matrix] if options.matrix else options.package or [*USERS]
        drawn = list(draw(folder, options.n or (20 if options.matrix else 50), options.seed, packages))
        if options.only:
            drawn = [m for package in USERS for m in all_of(folder, package) if m.name == options.only]
        rows = []
        for mutant in drawn:
            if mutant.name not in known and mutant.package not in tested:
                tested.add(mutant.package)
                check_unchanged(mutant.package, folder)
            rows.append(known.get(mutant.name) or tried(mutant, folder, options))
    print(table(rows))
    if options.matrix:
        print(matrix(rows, options.matrix))


def draw(folder: Path, n: int, seed: int, packages: list[str]) -> Iterator[Mutant]:
    """Yield ``n`` mutants, in turn of each package."""
    chance, mutants = random.Random(seed), {package: list(all_of(folder, package)) for package in packages}
    for each in mutants.values():
        chance.shuffle(each)
    for k in range(n):
        yield mutants[packages[k % len(packages)]].pop()


def all_of(folder: Path, package: str) -> Iterator[Mutant]:
    for path in sorted((folder / "gatree" / package).rglob("*.py")):
        for mutation in mutations_of(path.read_text(encoding="utf-8")):
            yield Mutant(package, path.relative_to(folder).as_posix(), mutation)


def tried(mutant: Mutant, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run the tests on a mutant; return and note who has found it."""
    path = folder / mutant.path
    original, times = path.read_text(encoding="utf-8"), (path.stat().st_atime, path.stat().st_mtime)
    path.write_text(mutated(original, mutant.mutation.number), encoding="utf-8")
    try:
        killers = found_by(mutant, folder, options)
    finally:
        path.write_text(original, encoding="utf-8")
        os.utime(path, times)  # or numba would compile its kernels again
    change = mutant.mutation.change
    row = {"package": mutant.package, "name": mutant.name, "change": change, "killers": killers}
    print(f"{(killers or ['SURVIVES'])[0]:60.60}  {mutant.name}  {change}", flush=True)
    if options.output:
        with options.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    return row


def copy_project(folder: Path) -> None:
    """Copy what git knows, or would; kernels have one cache, since most mutants change none."""
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    decorators = folder / "gatree/kernels/decorators.py"
    source = decorators.read_text(encoding="utf-8")
    assert source.count(FIXED_CACHE[0]) == 1
    decorators.write_text(source.replace(*FIXED_CACHE), encoding="utf-8")


def check_unchanged(package: str, folder: Path) -> None:
    """End if tests fail without a mutant, or cannot be imported alone: they would find every mutant."""
    cache = str(folder / ".cache")
    users = ([f"tests/{name}", "--collect-only"] for name in USERS.get(package, []))
    for tests in ([f"tests/{package}"], *users):
        if failure := fails(tests, folder, COMPILED, GATREE_CACHE_DIR=cache):
            sys.exit(f"without any mutant {failure} fails")


def found_by(mutant: Mutant, folder: Path, options: argparse.Namespace) -> list[str]:
    """Return the first test that fails, for a matrix all of the package's own."""
    own = [*(["--maxfail=0"] if options.matrix else []), *test_files(mutant, folder)]
    alone = options.own or options.matrix
    more = [] if alone else [f"tests/{name}" for name in USERS[mutant.package]]
    if mutant.mutation.in_kernel:
        interpreted = ["-m", "no_jit and not long", *own]
        if killers := fails(interpreted, folder, INTERPRETED, NUMBA_DISABLE_JIT="1"):
            return killers
        if options.interpreted:
            return []
        with tempfile.TemporaryDirectory() as cache:
            return fails([*own, *more], folder, COMPILED, GATREE_CACHE_DIR=cache)
    cache = str(folder / ".cache")
    for tests in filter(None, (own, more)):
        if killers := fails(tests, folder, LOADED, GATREE_CACHE_DIR=cache):
            return killers
    return []


def test_files(mutant: Mutant, folder: Path) -> list[str]:
    """Return the test files of a mutant's package, those that name its module first."""
    module = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    files = sorted((folder / "tests" / mutant.package).rglob("test_*.py"))
    files.sort(key=lambda file: rank(file.read_text(encoding="utf-8"), module))
    return [str(file.relative_to(folder)) for file in files]


def rank(text: str, module: str) -> tuple[bool, bool]:
    """Return what sorts test files by how soon they find a mistake in a module."""
    return any(word in text for word in ("Popen", "laboratory", "clusters")), module not in text


def fails(tests: list[str], folder: Path, seconds: int, **variables: str) -> list[str]:
    """Run tests in a fork of this process until the first failure; return those that failed, in order."""
    with tempfile.TemporaryFile("w+", errors="replace") as written:
        child = os.fork()
        if child == 0:
            run_here(tests, folder, seconds, variables, written.fileno())
        code = exit_code(child, 20 * seconds)
        written.seek(0)
        output = written.read()
    if code in (0, 5):  # 5: no tests were chosen
        return []
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return ["out of time"]
    failures = [line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if code > 0 and not failures:
        sys.exit(f"pytest cannot run these tests:\n{output}")
    functions = dict.fromkeys(line.split(" ")[1].partition("[")[0] for line in failures)
    return [*functions] or [f"a crash: signal {-code}"]


def run_here(tests: list[str], folder: Path, seconds: int, variables: dict[str, str], output: int) -> None:
    """Run tests in this process, which has imported no part of the package yet, and end it."""
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    limit(seconds)
    os.chdir(folder)
    os.environ.update(variables, PYTHONPATH=str(folder))
    numba.config.DISABLE_JIT = int(variables.get("NUMBA_DISABLE_JIT", "0"))
    sys.path[:] = [str(folder), *(place for place in sys.path if not of_the_project(place))]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("mutants", "gatree")]:
        del sys.modules[name]
    code = 4
    try:
        code = int(pytest.main(["-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]))
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def of_the_project(place: str) -> bool:
    """Tell whether modules there are the project's own; its virtual environment may be in its folder."""
    return place.startswith(str(ROOT)) and not place.startswith(sys.prefix)


def exit_code(child: int, seconds: int) -> int:
    """Wait for a process, with all that it has started for at most so long, and return how it ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def table(rows: list[dict[str, Any]]) -> str:
    """Return how many mutants survive in each package, and which."""
    n, survivors = Counter(row["package"] for row in rows), [row for row in rows if not row["killers"]]
    living = Counter(row["package"] for row in survivors)
    lines = ["", "| package | mutants | survive |", "|---|---|---|"]
    lines += [f"| {package} | {n[package]} | {living[package]} |" for package in n]
    lines += [f"| all | {len(rows)} | {len(survivors)} |", ""]
    return "\n".join([*lines, *(f"{row['name']}  {row['change']}" for row in survivors)])


def matrix(rows: list[dict[str, Any]], package: str) -> str:
    """Return for each test function on how many mutants it failed, and on how many no other did."""
    failed, alone = Counter[str](), Counter[str]()
    for file in sorted((ROOT / "tests" / package).rglob("test_*.py")):
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE):
            failed[f"{file.relative_to(ROOT)}::{name}"] = 0
    for row in rows:
        failed.update(row["killers"])
        alone.update(row["killers"] if len(row["killers"]) == 1 else [])
    lines = [f"| {n} | {alone[name]} | {name} |" for name, n in failed.items()]
    return "\n".join(["", "| fails | alone | test |", "|---|---|---|", *lines])


if __name__ == "__main__":
    main()
