"""One evolution on ten million instances and more: one process, two threads, two shards, a Dask cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable

from bench.common import ROOT, Options, Report, Row, fitted_exponent, progress

TITLE = "Scale"

COLUMNS = {
    "data": "data",
    "n": "instances",
    "attributes": "attributes",
    "brood": "offspring per generation",
    "how": "how",
    "generations": "generations run",
    "seconds": "1,000 generations [s]",
    "cpu": "this process's CPU [s]",
    "per_billion": "per 10^9 instance-evaluations [s]",
    "speed_up": "one process / this",
    "overhead": "above the codes [MB]",
    "accuracy": "accuracy",
}

NOTES = """\
- The preset `default` with a population of 64; a quarter of it are its offspring by default, all of them
  crossed and mutated, leaves with the class of most. Seconds are those of 1,000 generations at the pace of
  those that were run. At most 255 thresholds per attribute, a byte per cell. An instance-evaluation is one
  instance for one offspring, inherited or not.
- The clock starts when the codes are there; making them, starting processes and compiling do not count.
  Memory is the peak of the process that evolves less the bytes of codes and classes; of shards, the largest.
- Shards, threads and cluster have two workers each on this machine; all ran the same evolution, which is
  checked. Up to a million instances it is the best of {repeats}.
- What a generation costs in addition to the counting, on {tiny:,} instances: {overheads}.
{exponents}
**Published, not measured here**, for the systems that lead the field at this scale (Global Decision Trees,
GDT): none can be installed, and the figures are those of the abstracts (Jurczuk, Czajkowski and
Kretowski, doi 10.1007/s00500-016-2280-1 and 10.1177/1094342020957393; Reska, Jurczuk and Kretowski, doi
10.1007/978-3-319-91253-0_48).

| published | hardware | figure |
|---|---|---|
| GDT on a GPU, Soft Computing 21 (2017) | one GPU, against its own CPU version | up to 800 times as fast |
| GDT with reuse of fitness, IJHPCA 35 (2021) | one GPU workstation | billions of objects in a few hours |
| GDT on Spark, ICAISC 2018 | a cluster | none: "efficient and scales well" |

A billion instance-evaluations take {typical:.2f} s on one core here, at {largest:,} instances. At that pace
a billion instances and the 64,000 evaluations of 1,000 generations of 64 trees would take {hours:.1f} hours
on one core: an extrapolation, and another algorithm.
"""

WAYS = ("one process", "two threads", "two shards", "Dask, two workers")
SIZES = {
    "chess board": (10**6, 10**7, 10**8),
    "normal classes": (10**6, 10**7),
    "SUSY's shape": (5_000_000,),
    "HIGGS's shape": (11_000_000,),
}
MOST_FOR_ALL_WAYS = 2 * 10**7
MOST_REPEATED = 10**6
POPULATION = 64
LARGE_BROODS = {("normal classes", 10**7)}
"""Where all of the population is replaced, too: as many offspring as there are trees."""
_TINY = 1000


def measure(options: Options) -> Report:
    """Evolve on all shapes and sizes in all ways."""
    tiny = list(_rows("chess board", _TINY, options))
    sizes = {} if options.quick else SIZES
    rows = [row for shape in sizes for n in sizes[shape] for row in _rows(shape, n, options)] or tiny
    alone = [row for row in rows if row["how"] == WAYS[0] and row["brood"] == POPULATION // 4]
    largest = max(row["n"] for row in alone)
    typical = next(row["per_billion"] for row in alone if row["n"] == largest)
    notes = NOTES.format(
        repeats=_repeats(MOST_REPEATED, options),
        tiny=_TINY,
        # Seconds of a thousand generations are milliseconds of one.
        overheads=", ".join(f"{row['how']} {row['seconds']:.2g} ms" for row in tiny),
        exponents="".join(_exponents(alone)),
        typical=typical,
        hours=64_000 * typical / 3600,
        largest=largest,
    )
    overheads = {row["how"]: row["seconds"] for row in tiny}
    return Report(rows, COLUMNS, notes=notes, facts={"milliseconds per generation": overheads})


def _exponents(rows: list[Row]) -> Iterable[str]:
    for shape in dict.fromkeys(row["data"] for row in rows):
        points = [(row["n"], row["cpu"]) for row in rows if row["data"] == shape]
        if len(points) > 1:
            exponent = fitted_exponent(*zip(*points, strict=True))
            yield f"- The time of one process on the {shape} grows like n^{exponent:.2f}.\n"


def _repeats(n: int, options: Options) -> int:
    return 1 if n > MOST_REPEATED else min(2, options.repeats)


def _n_generations(n: int, options: Options) -> int:
    """Return how many generations are run: enough to tell their pace."""
    if options.quick:
        return 4
    return 1000 if n <= MOST_FOR_ALL_WAYS else 100


def _rows(shape: str, n: int, options: Options) -> Iterable[Row]:
    n_generations = _n_generations(n, options)
    broods = (POPULATION // 4, POPULATION) if (shape, n) in LARGE_BROODS else (POPULATION // 4,)
    for brood in broods:
        alone = None
        for how in WAYS if n <= MOST_FOR_ALL_WAYS else WAYS[:1]:
            runs = [_run(shape, n, how, n_generations, brood) for _ in range(_repeats(n, options))]
            found = min(runs, key=lambda run: float(run["seconds"]))
            alone = alone or found
            assert found["history"] == alone["history"], f"{how} ran another evolution"
            yield {
                "data": shape,
                "n": n,
                "attributes": found["attributes"],
                "brood": brood,
                "how": how,
                "generations": n_generations,
                "seconds": found["seconds"] * 1000 / n_generations,
                "cpu": found["cpu"] * 1000 / n_generations,
                "per_billion": found["seconds"] / (found["offspring"] * n / 1e9),
                "speed_up": alone["seconds"] / found["seconds"],
                "overhead": found["overhead"],
                "accuracy": found["accuracy"],
            }


def _run(shape: str, n: int, how: str, n_generations: int, brood: int) -> Row:
    """Return what one evolution took, in a process of its own."""
    progress(f"scale: {shape}, {n:,} instances, {brood} offspring, {how}")
    arguments = [shape, str(n), how, str(n_generations), str(brood / POPULATION)]
    command = [sys.executable, "-m", "bench.scale_run", *arguments]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: Row = json.loads(done.stdout)
    return found
