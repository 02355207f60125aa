"""Trees of at most two tests, in one kernel: the last two levels are where nearly all the work is.

When the instances are parted by a first test, one walk along every attribute's sorted instances finds the
best second test of both parts at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.jit import jit
from gatree.optimum.cases import Cases, Ints
from gatree.optimum.intervals import HIGH, LEFT_OF, LOW, RIGHT_OF, cuts_of, open_all, split_open

NO_TEST = -1

ERRORS, ATTRIBUTE, VALUE, LEFT_TESTS = range(4)  # what a search has found


class Parts(NamedTuple):
    """The two parts of a set: index 1 is what passes the first test, index 0 what fails it."""

    passing: NDArray[np.uint8]  # [instance]
    counts: NDArray[np.int64]  # [part, class]
    seen: NDArray[np.int64]  # [part, class]: passing the second test, on the way along an attribute


class Best(NamedTuple):
    """The best tree so far, and room for the best second tests."""

    found: NDArray[np.int64]
    stumps: NDArray[np.int64]  # [part]: errors, attribute, value


def make_parts(cases: Cases) -> Parts:
    """Return room for the parts of any set."""
    return Parts(
        passing=np.zeros(len(cases.classes), dtype=np.uint8),
        counts=np.zeros((2, cases.n_classes), dtype=np.int64),
        seen=np.zeros((2, cases.n_classes), dtype=np.int64),
    )


@jit
def split_errors(counts: NDArray[np.int64], seen: NDArray[np.int64], part: int) -> int:
    """Return the errors of a part when a second test sends what was seen one way, the rest the other."""
    total, most_seen, most_unseen = 0, 0, 0
    for label in range(counts.shape[1]):
        passing = seen[part, label]
        failing = counts[part, label] - passing
        total += passing + failing
        most_seen, most_unseen = max(most_seen, passing), max(most_unseen, failing)
    return total - most_seen - most_unseen


@jit
def leaf_errors(counts: NDArray[np.int64], part: int) -> int:
    """Return the errors of a part as a leaf."""
    total, most = 0, 0
    for label in range(counts.shape[1]):
        total += counts[part, label]
        most = max(most, counts[part, label])
    return total - most


@jit
def stump_errors(cases: Cases, rows: Ints, parts: Parts, best: NDArray[np.int64]) -> None:
    """Find the fewest errors that one more test leaves in each part; ``parts.counts`` must be there.

    ``best[part]`` becomes errors, attribute, value; a part may do best as a leaf.
    """
    passing, counts, seen = parts.passing, parts.counts, parts.seen
    for part in range(2):
        best[part, ERRORS], best[part, ATTRIBUTE] = leaf_errors(counts, part), NO_TEST
    for attribute in range(rows.shape[0]):
        rank, n_tests, numeric = 0, cases.n_tests[attribute], cases.is_numeric[attribute]
        seen[:] = 0
        while rank < rows.shape[1]:
            code = cases.codes[attribute, rows[attribute, rank]]
            if code >= n_tests:
                break
            if not numeric:
                seen[:] = 0
            touched_0, touched_1 = False, False
            while rank < rows.shape[1] and cases.codes[attribute, rows[attribute, rank]] == code:
                instance = rows[attribute, rank]
                part = passing[instance]
                seen[part, cases.classes[instance]] += 1
                touched_0, touched_1 = touched_0 or part == 0, touched_1 or part == 1
                rank += 1
            for part in range(2):
                if best[part, ERRORS] > 0 and (touched_1 if part == 1 else touched_0):
                    errors = split_errors(counts, seen, part)
                    if errors < best[part, ERRORS]:
                        best[part, ERRORS], best[part, ATTRIBUTE], best[part, VALUE] = errors, attribute, code


@jit
def part_by(cases: Cases, rows: Ints, parts: Parts, attribute: int, value: int) -> None:
    """Part the instances by a test, and count the classes of the parts."""
    parts.counts[:] = 0
    for rank in range(rows.shape[1]):
        instance = rows[0, rank]
        code = cases.codes[attribute, instance]
        passes = code <= value if cases.is_numeric[attribute] else code == value
        parts.passing[instance] = 1 if passes else 0
        parts.counts[1 if passes else 0, cases.classes[instance]] += 1


@jit
def best_stump(cases: Cases, rows: Ints, parts: Parts) -> tuple[int, int, int]:
    """Return errors, attribute and value of the best tree of at most one test."""
    best = np.zeros((2, 3), dtype=np.int64)
    parts.counts[:] = 0
    for rank in range(rows.shape[1]):
        parts.passing[rows[0, rank]] = 0
        parts.counts[0, cases.classes[rows[0, rank]]] += 1
    stump_errors(cases, rows, parts, best)
    return best[0, ERRORS], best[0, ATTRIBUTE], best[0, VALUE]


@jit
def only_other(codes: NDArray[np.int32], rank: int) -> bool:
    """Tell whether the code that begins at a rank is the second of two: its test mirrors the first's."""
    last = len(codes) - 1
    return rank > 0 and codes[0] == codes[rank - 1] and codes[rank] == codes[last]


@jit
def _leaves_bound(parts: Parts, stump: int) -> tuple[int, int]:
    """Bound the errors of (left a stump, right a leaf) and the reverse, given those of one stump for both.

    Taking instances away cannot win more errors than instances.
    """
    counts = parts.counts
    left = leaf_errors(counts, 0) + max(0, stump - counts[0].sum())
    right = leaf_errors(counts, 1) + max(0, stump - counts[1].sum())
    return left, right


@jit
def _try(
    cases: Cases, rows: Ints, parts: Parts, test: tuple[int, int, int], best: Best, errors: NDArray[np.int64]
) -> None:
    """Try a first test, given the errors of the best stump; leave bounds of its branches' errors.

    They are: left as a leaf, left as a stump, right as a leaf, right as a stump.
    """
    attribute, value, stump = test
    found, stumps = best.found, best.stumps
    part_by(cases, rows, parts, attribute, value)
    errors[0], errors[2] = leaf_errors(parts.counts, 1), leaf_errors(parts.counts, 0)
    if min(_leaves_bound(parts, stump)) >= found[ERRORS]:
        errors[1] = max(0, stump - parts.counts[0].sum())
        errors[3] = max(0, stump - parts.counts[1].sum())
        return
    stump_errors(cases, rows, parts, stumps)
    errors[1], errors[3] = stumps[1, ERRORS], stumps[0, ERRORS]
    for n_left, total in ((1, errors[1] + errors[2]), (0, errors[0] + errors[3])):
        if total < found[ERRORS]:
            found[ERRORS], found[ATTRIBUTE], found[VALUE], found[LEFT_TESTS] = total, attribute, value, n_left


@jit
def best_pair(cases: Cases, rows: Ints, parts: Parts, limit: int) -> NDArray[np.int64]:
    """Find the best tree of at most two tests, if it has fewer errors than ``limit``.

    Returns errors (``limit`` if there is no better tree), first attribute and value, and how many of the
    other tests lie left of it.
    """
    stump, attribute, value = best_stump(cases, rows, parts)
    best = Best(np.array([limit, NO_TEST, 0, 0], dtype=np.int64), np.zeros((2, 3), dtype=np.int64))
    if stump < limit:
        best.found[ERRORS], best.found[ATTRIBUTE], best.found[VALUE] = stump, attribute, value
    n_members = rows.shape[1]
    stack = np.empty((n_members + 2, 4), dtype=np.int64)
    bounds = np.zeros((n_members + 1, 4), dtype=np.int64)  # by cut; the last is nobody's
    codes = np.empty(n_members, dtype=np.int32)
    for attribute in range(rows.shape[0]):
        for rank in range(n_members):
            codes[rank] = cases.codes[attribute, rows[attribute, rank]]
        if cases.is_numeric[attribute]:
            cuts = cuts_of(codes, cases.n_tests[attribute])
            n_open = open_all(stack, len(cuts))
            while n_open > 0:
                left, right = bounds[stack[n_open - 1, LEFT_OF]], bounds[stack[n_open - 1, RIGHT_OF]]
                if min(left[1] + right[2], left[0] + right[3]) >= best.found[ERRORS]:
                    n_open -= 1
                    continue
                tried = (stack[n_open - 1, LOW] + stack[n_open - 1, HIGH]) // 2
                errors = bounds[tried]
                _try(cases, rows, parts, (attribute, codes[cuts[tried] - 1], stump), best, errors)
                least = min(errors[1] + errors[2], errors[0] + errors[3])
                n_open = split_open(stack, n_open, cuts, tried, least - best.found[ERRORS])
        else:
            for rank in range(n_members):
                begins = rank == 0 or codes[rank - 1] != codes[rank]
                if begins and codes[rank] < cases.n_tests[attribute] and not only_other(codes, rank):
                    _try(cases, rows, parts, (attribute, codes[rank], stump), best, bounds[0])
            bounds[0] = 0
    return best.found
