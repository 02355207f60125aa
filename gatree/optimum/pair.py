"""Trees of at most two tests, in one kernel: the last two levels are where nearly all the work is.

When the instances are parted by a first test, one walk along every attribute's sorted instances finds the
best second test of both parts at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gatree.data.cases import Cases, Ints, Rows
from gatree.kernels.decorators import inlined, jit, lean
from gatree.optimum.intervals import HIGH, LEFT_OF, LOW, RIGHT_OF, open_all, split_open

NO_TEST = -1

ERRORS, ATTRIBUTE, VALUE, LEFT_TESTS = range(4)  # what a search has found


class Parts(NamedTuple):
    """The two parts of a set: index 1 is what passes the first test, index 0 what fails it."""

    cell: NDArray[np.int32]  # [instance]: where it is counted, its part times the classes plus its class
    counts: NDArray[np.int64]  # [part, class]
    seen: NDArray[np.int64]  # [cell]: passing the second test, on the way along an attribute


class Best(NamedTuple):
    """The best tree so far, the errors of one stump for all, and room for the best second tests."""

    found: NDArray[np.int64]
    stump: int
    stumps: NDArray[np.int64]  # [part]: errors, attribute, value


class FirstTests(NamedTuple):
    """The tests of an attribute that part a set: who passes one lies side by side in the attribute's row."""

    begin: Ints  # [test]
    end: Ints  # [test]
    passing: NDArray[np.int64]  # [test, class]


def make_parts(cases: Cases) -> Parts:
    """Return room for the parts of any set."""
    return Parts(
        cell=np.zeros(len(cases.classes), dtype=np.int32),
        counts=np.zeros((2, cases.n_classes), dtype=np.int64),
        seen=np.zeros(2 * cases.n_classes, dtype=np.int64),
    )


@inlined
def leaf_errors(counts: NDArray[np.int64], part: int) -> int:
    """Return the errors of a part as a leaf."""
    total, most = 0, 0
    for label in range(counts.shape[1]):
        total += counts[part, label]
        most = max(most, counts[part, label])
    return total - most


@inlined
def _most_right(parts: Parts, part: int) -> int:
    """Return how many of a part are right when a second test parts what was seen from the rest."""
    n_classes = parts.counts.shape[1]
    most_seen, most_unseen = 0, 0
    for label in range(n_classes):
        passing = parts.seen[part * n_classes + label]
        most_seen = max(most_seen, passing)
        most_unseen = max(most_unseen, parts.counts[part, label] - passing)
    return most_seen + most_unseen


@lean
def stump_errors(cases: Cases, rows: Rows, parts: Parts, best: NDArray[np.int64]) -> None:
    """Find the fewest errors that one more test leaves in each part; the parts must be counted.

    ``best[part]`` becomes errors, attribute, value; a part may do best as a leaf.
    """
    cell, seen, n_classes = parts.cell, parts.seen, cases.n_classes
    n_members = rows.codes.shape[1]
    sizes = parts.counts[0].sum(), parts.counts[1].sum()
    for part in range(2):
        best[part, ERRORS], best[part, ATTRIBUTE] = leaf_errors(parts.counts, part), NO_TEST
    for attribute in range(rows.codes.shape[0]):
        instances, codes = rows.instances[attribute], rows.codes[attribute]
        n_tests, numeric = cases.n_tests[attribute], cases.is_numeric[attribute]
        seen[:] = 0
        touched_0, touched_1 = False, False
        for rank in range(n_members):
            code = codes[rank]
            if code >= n_tests:
                break
            at = cell[instances[rank]]
            seen[at] += 1
            if at < n_classes:
                touched_0 = True
            else:
                touched_1 = True
            if rank + 1 < n_members and codes[rank + 1] == code:
                continue
            for part in range(2):
                if touched_1 if part == 1 else touched_0:
                    errors = sizes[part] - _most_right(parts, part)
                    if errors < best[part, ERRORS]:
                        best[part, ERRORS], best[part, ATTRIBUTE], best[part, VALUE] = errors, attribute, code
            touched_0, touched_1 = False, False
            if not numeric:
                seen[:] = 0


@lean
def part_by(cases: Cases, rows: Rows, parts: Parts, attribute: int, passing: tuple[int, int]) -> None:
    """Note who is counted where when those between two ranks of an attribute's row pass a test."""
    begin, end = passing
    for rank in range(rows.codes.shape[1]):
        instance = rows.instances[attribute, rank]
        part = 1 if begin <= rank < end else 0
        parts.cell[instance] = part * cases.n_classes + cases.classes[instance]


@jit
def best_stump(cases: Cases, rows: Rows, parts: Parts) -> tuple[int, int, int]:
    """Return errors, attribute and value of the best tree of at most one test; all are in part 0."""
    best = np.zeros((2, 3), dtype=np.int64)
    part_by(cases, rows, parts, 0, (0, 0))
    parts.counts[:] = 0
    for instance in rows.instances[0]:
        parts.counts[0, cases.classes[instance]] += 1
    stump_errors(cases, rows, parts, best)
    return best[0, ERRORS], best[0, ATTRIBUTE], best[0, VALUE]


@lean
def only_other(codes: NDArray[np.int32], rank: int) -> bool:
    """Tell whether the code that begins at a rank is the second of two: its test mirrors the first's."""
    last = len(codes) - 1
    return rank > 0 and codes[0] == codes[rank - 1] and codes[rank] == codes[last]


@jit
def first_tests(cases: Cases, rows: Rows, attribute: int) -> FirstTests:
    """Return the tests of an attribute that part a set, and count who passes."""
    codes, instances, numeric = rows.codes[attribute], rows.instances[attribute], cases.is_numeric[attribute]
    begins, ends = np.empty(len(codes), dtype=np.int32), np.empty(len(codes), dtype=np.int32)
    found, begin = 0, 0
    for rank in range(1, len(codes) + 1):
        if rank < len(codes) and codes[rank] == codes[rank - 1]:
            continue
        if codes[rank - 1] >= cases.n_tests[attribute]:
            break
        parts_them = rank < len(codes) if numeric else rank - begin < len(codes)
        if parts_them and (numeric or not only_other(codes, begin)):
            begins[found], ends[found] = 0 if numeric else begin, rank
            found += 1
        begin = rank
    passing = np.zeros((found, cases.n_classes), dtype=np.int64)
    for test in range(found):
        begin = begins[test]
        if numeric and test > 0:
            begin = ends[test - 1]
            passing[test] = passing[test - 1]
        for rank in range(begin, ends[test]):
            passing[test, cases.classes[instances[rank]]] += 1
    return FirstTests(begins[:found], ends[:found], passing)


@inlined
def _leaves_bound(parts: Parts, stump: int) -> tuple[int, int]:
    """Bound the errors of (left a stump, right a leaf) and the reverse, given those of one stump for both.

    Taking instances away cannot win more errors than instances.
    """
    counts = parts.counts
    left = leaf_errors(counts, 0) + max(0, stump - counts[0].sum())
    right = leaf_errors(counts, 1) + max(0, stump - counts[1].sum())
    return left, right


@lean
def _count_parts(parts: Parts, passing: NDArray[np.int64]) -> None:
    """Count the classes of both parts of a set that was counted in other parts before."""
    for label in range(len(passing)):
        parts.counts[0, label] += parts.counts[1, label] - passing[label]
        parts.counts[1, label] = passing[label]


@lean
def _try(
    cases: Cases, rows: Rows, parts: Parts, test: tuple[int, int, int], best: Best, errors: NDArray[np.int64]
) -> None:
    """Try a first test, whose parts are counted; leave bounds of its branches' errors.

    They are: left as a leaf, left as a stump, right as a leaf, right as a stump.
    """
    attribute, begin, end = test
    found, stumps = best.found, best.stumps
    errors[0], errors[2] = leaf_errors(parts.counts, 1), leaf_errors(parts.counts, 0)
    if min(_leaves_bound(parts, best.stump)) >= found[ERRORS]:
        errors[1] = max(0, best.stump - parts.counts[0].sum())
        errors[3] = max(0, best.stump - parts.counts[1].sum())
        return
    part_by(cases, rows, parts, attribute, (begin, end))
    stump_errors(cases, rows, parts, stumps)
    errors[1], errors[3] = stumps[1, ERRORS], stumps[0, ERRORS]
    for n_left, total in ((1, errors[1] + errors[2]), (0, errors[0] + errors[3])):
        if total < found[ERRORS]:
            found[ERRORS], found[ATTRIBUTE], found[LEFT_TESTS] = total, attribute, n_left
            found[VALUE] = rows.codes[attribute, end - 1]


@jit
def best_pair(cases: Cases, rows: Rows, parts: Parts) -> NDArray[np.int64]:
    """Find the best tree of at most two tests.

    Returns errors, first attribute and value, and how many of the other tests lie left of it.
    """
    stump, attribute, value = best_stump(cases, rows, parts)
    found = np.array([stump, attribute, value, 0], dtype=np.int64)
    best = Best(found, stump, np.zeros((2, 3), dtype=np.int64))
    n_members = rows.codes.shape[1]
    stack = np.empty((n_members + 2, 4), dtype=np.int64)
    bounds = np.zeros((n_members + 1, 4), dtype=np.int64)  # by test; the last is nobody's
    for attribute in range(rows.codes.shape[0]):
        tests = first_tests(cases, rows, attribute)
        if not cases.is_numeric[attribute]:
            for tried in range(len(tests.end)):
                _count_parts(parts, tests.passing[tried])
                _try(cases, rows, parts, (attribute, tests.begin[tried], tests.end[tried]), best, bounds[0])
            continue
        n_open = open_all(stack, len(tests.end))
        while n_open > 0:
            left, right = bounds[stack[n_open - 1, LEFT_OF]], bounds[stack[n_open - 1, RIGHT_OF]]
            if min(left[1] + right[2], left[0] + right[3]) >= best.found[ERRORS]:
                n_open -= 1
                continue
            tried = (stack[n_open - 1, LOW] + stack[n_open - 1, HIGH]) // 2
            errors = bounds[tried]
            _count_parts(parts, tests.passing[tried])
            _try(cases, rows, parts, (attribute, 0, tests.end[tried]), best, errors)
            least = min(errors[1] + errors[2], errors[0] + errors[3])
            n_open = split_open(stack, n_open, tests.end, tried, least - best.found[ERRORS])
    return best.found
