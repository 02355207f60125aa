"""Limits on the size of inputs, checked before memory is allocated for them.

The limits are far above what the laboratory is for, and below what exhausts a machine: a file that exceeds
one is damaged, hostile, or meant for another tool. Sizes in bytes are those after decompression.
`refuse_above` raises every such error, with the limit in its message.
"""

from __future__ import annotations

from gatree.base.errors import DataError, GatreeError

# Data: a cell takes 4 to 8 bytes.
MOST_INSTANCES = 100_000_000
MOST_ATTRIBUTES = 200_000
MOST_CELLS = 1_000_000_000  # instances x attributes
MOST_CLASSES = 10_000
MOST_COST = 1e12  # of a prediction: sums over all rows stay exact enough
MOST_VALUES_BY_CLASSES = 50_000_000  # values of a nominal attribute x classes: a table of J48
MOST_TESTS = 10_000_000  # candidate tests, over all attributes of a data set

# Trees.
MOST_NODES = 1_000_000
MOST_COUNTS = 100_000_000  # nodes x classes

# Evolutions.
MOST_TREES = 1_000_000  # in a population
MOST_GENERATIONS = 1_000_000
MOST_THREADS = 1_024
LARGEST_SEED = 2**64 - 1

# Experiments.
MOST_FOLDS = 100_000
MOST_SEEDS = 100_000
MOST_REPEATS = 10_000
MOST_EXPERIMENT_CELLS = 2_000_000  # a million are planned in seconds and 300 MB
MOST_WORKERS = 1_024
MOST_RECORD_BYTES = 128 * 2**20  # a line of a journal: a million generations, or nodes
MOST_JOURNAL_BYTES = 64 * 2**30

# Text files.
MOST_FILE_BYTES = 4 * 2**30
MOST_DATA_BYTES = 2**42  # of data, whose cells have to fit into memory
MOST_LINE_CHARACTERS = 64 * 2**20
MOST_PACKED_RATIO = 100  # decompressed to compressed bytes, checked above FREE_UNPACKED_BYTES
FREE_UNPACKED_BYTES = 256 * 2**20
MOST_DATE_PATTERN_CHARACTERS = 200
MOST_TREE_FILE_CHARACTERS = 512 * 2**20

# Excel files: as much as Excel allows, and fewer cells.
MOST_SHEET_ROWS = 2**20
MOST_SHEET_CELLS = 50_000_000
MOST_CELL_CHARACTERS = 2**15

# YAML.
MOST_YAML_BYTES = 2**20
MOST_YAML_VALUES = 100_000  # with every alias written out


def refuse_above(
    most: int, got: int, what: str, where: str = "", error: type[GatreeError] = DataError
) -> None:
    """Raise an error if a count exceeds its limit; ``where`` names the file, line or key.

    >>> refuse_above(MOST_THREADS, 10**6, "threads", "n_jobs")
    Traceback (most recent call last):
    gatree.base.errors.DataError: n_jobs: 1,000,000 threads; the limit is 1,024
    """
    if got > most:
        prefix = f"{where}: " if where else ""
        raise error(f"{prefix}{count(got)} {what}; the limit is {count(most)}")


def refuse_too_much_unpacked(where: str, n_bytes: int, n_packed: int, kind: str) -> None:
    """Raise an error if packed bytes unpack to far more than data do."""
    if n_bytes > max(FREE_UNPACKED_BYTES, MOST_PACKED_RATIO * n_packed):
        raise DataError(
            f"{where}: {n_packed:,} bytes of {kind} unpack to more than {FREE_UNPACKED_BYTES:,} bytes and "
            f"more than {MOST_PACKED_RATIO} times as many, which is the limit"
        )


def count(number: int) -> str:
    """Format a number with thousands separators, or by its magnitude from 10^30 on."""
    return f"{number:,}" if number < 10**30 else f"more than 10^{number.bit_length() * 3 // 10 - 1}"
