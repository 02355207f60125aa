"""Find the tests that split a set, and the cost of both branches of each with one more test.

There are two implementations: sets of bits, for attributes with few tests; and the instances of the set in
the order of every attribute's codes, for many thresholds and for numeric targets.
"""

from __future__ import annotations

import numpy as np

from gatree.kernels.decorators import U, inlined, lean
from gatree.kernels.words import WORD, n_set
from gatree.optimum.bits import ONE, pack
from gatree.optimum.problem import Problem, count_of, in_bits, leaf_cost, spares_weight, weight_of
from gatree.optimum.stack import BEST, N_LEFT, N_RIGHT, N_TESTS, PAIR, STEPS, STUMP, TEST, WEIGHT, K, N, Stack

_NO_ATTRIBUTE = -1


@lean
def find_tests(problem: Problem, stack: Stack, level: int) -> None:
    """Find the tests that split a frame's set, and the instances that pass them."""
    if in_bits(problem):
        _pack_tests(problem, stack, level)
    else:
        _sort_members(problem, stack, level)
        _walk_tests(problem, stack, level)
    frame, here, known = stack.frame[level], stack.here[level], stack.known[level]
    n_tests, passing, failing = frame[N_TESTS], stack.numbers[level], stack.seen[0]
    for test in range(n_tests):
        for column in range(len(here)):
            failing[column] = here[column] - passing[test, column]
        known[test, 0, 0], known[test, 1, 0] = leaf_cost(problem, passing[test]), leaf_cost(problem, failing)
        stack.weight[level, test] = weight_of(problem, passing[test])
        stack.has_stumps[level, test] = False
        cost = known[test, 0, 0] + known[test, 1, 0]
        if cost < frame[STUMP]:
            frame[STUMP] = cost
        if cost < frame[BEST]:
            frame[BEST], frame[TEST], frame[N_LEFT], frame[N_RIGHT] = cost, test, 0, 0
    frame[PAIR] = frame[STUMP]
    spare = frame[STUMP] if spares_weight(problem) else 0
    for test in range(n_tests):
        weight = stack.weight[level, test]
        known[test, 0, 1] = max(0, spare - (frame[WEIGHT] - weight))
        known[test, 1, 1] = max(0, spare - weight)
        for more in range(2, frame[K]):
            known[test, 0, more], known[test, 1, more] = 0, 0
    _middle_first(stack, level)


@lean
def _pack_tests(problem: Problem, stack: Stack, level: int) -> None:
    """Pack the set, and keep the previous frame's tests that split it, each partition once per attribute."""
    above, n_classes = level - 1, len(problem.worth)
    rows, begin, numbers = stack.rows[level], stack.begin[level], stack.numbers[level]
    n_above, n = stack.frame[above, N_TESTS], stack.frame[level, N]
    source = (stack.rows[above], stack.begin[above])
    pack(source, n_above, stack.mask[level], (rows, begin), stack.moves)
    n_words = begin[n_classes]
    n_kept, first, before, last = 0, 0, _NO_ATTRIBUTE, 0
    for row in range(n_above):
        name = stack.name[above, row]
        attribute = problem.attribute[name]
        is_numeric = problem.is_numeric[attribute]
        if attribute != before:
            first, before, last = n_kept, attribute, 0
        passing = 0
        for label in range(n_classes):
            found = 0
            for word in range(begin[label], begin[label + 1]):
                found += n_set(rows[U(row), U(word)])
            numbers[n_kept, label] = found
            passing += found
        is_new = passing > last if is_numeric else not _is_mirror(last, passing, n)
        last = max(last, passing) if is_numeric or passing == 0 else passing
        if not is_new or min(passing, n - passing) < problem.min_leaf:
            continue
        for word in range(n_words if row > n_kept else 0):
            rows[U(n_kept), U(word)] = rows[U(row), U(word)]
        stack.name[level, n_kept], stack.first[level, n_kept] = name, first if is_numeric else n_kept
        n_kept += 1
    stack.frame[level, N_TESTS] = n_kept
    _set_ends(stack, level)
    stack.registers[STEPS] += n_above * (2 * stack.begin[above, n_classes] + n_words + n_classes)


@inlined
def _is_mirror(last: int, passing: int, n: int) -> bool:
    """Return whether a value is the second of only two in a set, so that its test mirrors the first's."""
    return last > 0 and last + passing == n


@lean
def _set_ends(stack: Stack, level: int) -> None:
    """Set ``end`` of every test: where the thresholds of its attribute end."""
    n_tests, first, end = stack.frame[level, N_TESTS], stack.first[level], stack.end[level]
    for test in range(n_tests - 1, -1, -1):
        is_last = test == n_tests - 1 or first[test + 1] != first[test]
        end[test] = test + 1 if is_last else end[test + 1]


@lean
def _middle_first(stack: Stack, level: int) -> None:
    """Rank the tests, thresholds from the middle outwards, so that bounds rule out most of the others."""
    first, end, ranked = stack.first[level], stack.end[level], stack.ranked[level]
    n_ranked, test = 0, 0
    while test < stack.frame[level, N_TESTS]:
        n = end[test] - first[test]
        step = 1
        while 2 * step <= n:
            step *= 2
        while step > 0:
            for place in range(step, n + 1, 2 * step):
                ranked[n_ranked] = test + place - 1
                n_ranked += 1
            step //= 2
        test += n


@lean
def _sort_members(problem: Problem, stack: Stack, level: int) -> None:
    """Select the sorted instances of the set from those of the previous frame."""
    bits, here = stack.bits[level], stack.frame[level, N]
    n_above = stack.order.shape[2] if level == 1 else stack.frame[level - 1, N]
    for attribute in range(stack.order.shape[1]):
        found = 0
        for rank in range(n_above):
            instance = stack.order[U(level - 1), U(attribute), U(rank)]
            place = problem.place[U(instance)]
            if (bits[U(place // WORD)] >> np.uint64(place % WORD)) & ONE:
                stack.order[U(level), U(attribute), U(found)] = instance
                found += 1
                if found == here:
                    break
    stack.registers[STEPS] += 2 * stack.order.shape[1] * n_above


@inlined
def _add(problem: Problem, numbers: np.ndarray, part: int, instance: int) -> None:
    """Add an instance to the numbers of its part."""
    if len(problem.target):
        target = problem.target[U(instance)]
        numbers[U(part), U(0)] += 1
        numbers[U(part), U(1)] += target
        numbers[U(part), U(2)] += target * target
    else:
        numbers[U(part), U(problem.classes[U(instance)])] += 1


@lean
def _clear(stack: Stack) -> None:
    for part in range(stack.seen.shape[0]):
        for column in range(stack.seen.shape[1]):
            stack.seen[part, column] = 0


@lean
def _walk_tests(problem: Problem, stack: Stack, level: int) -> None:
    """Find the tests that split the set, in the order of every attribute's codes."""
    frame, seen, numbers = stack.frame[level], stack.seen, stack.numbers[level]
    n, n_kept, firsts = frame[N], 0, 0
    for attribute in range(stack.order.shape[1]):
        order, codes = stack.order[level, attribute], problem.codes[attribute]
        n_tests, is_numeric = problem.n_tests[attribute], problem.is_numeric[attribute]
        first, last = n_kept, 0
        _clear(stack)
        for rank in range(n):
            code = codes[order[rank]]
            if code >= n_tests:
                break
            _add(problem, seen, 0, order[rank])
            if rank + 1 < n and codes[order[rank + 1]] == code:
                continue
            passing = count_of(problem, seen[0])
            is_mirror = not is_numeric and _is_mirror(last, passing, n)
            last = passing
            if min(passing, n - passing) >= problem.min_leaf and not is_mirror:
                for column in range(seen.shape[1]):
                    numbers[n_kept, column] = seen[0, column]
                stack.name[level, n_kept] = firsts + code
                stack.first[level, n_kept] = first if is_numeric else n_kept
                n_kept += 1
            if not is_numeric:
                _clear(stack)
        firsts += n_tests
    frame[N_TESTS] = n_kept
    _set_ends(stack, level)
    stack.registers[STEPS] += 3 * stack.order.shape[1] * n


@lean
def find_stumps(problem: Problem, stack: Stack, level: int, test: int) -> None:
    """Compute the cost of both branches of a test with one more test each."""
    if in_bits(problem):
        _stumps_by_bits(problem, stack, level, test)
    else:
        _stumps_by_walks(problem, stack, level, test)
    stack.has_stumps[level, test] = True


@lean
def _stumps_by_bits(problem: Problem, stack: Stack, level: int, test: int) -> None:
    rows, begin, numbers, frame = (
        stack.rows[level],
        stack.begin[level],
        stack.numbers[level],
        stack.frame[level],
    )
    here, worth, min_leaf, known = (
        stack.here[level],
        problem.worth,
        problem.min_leaf,
        stack.known[level, test],
    )
    n_classes, n_tests, n, n_mine = len(worth), frame[N_TESTS], frame[N], 0
    weight = stack.weight[level, test]
    left, right = weight - known[0, 0], frame[WEIGHT] - weight - known[1, 0]  # maximum correct weight so far
    for label in range(n_classes):
        n_mine += numbers[test, label]
    for other in range(n_tests):
        n_both, n_other = 0, 0
        most_11, most_10, most_01, most_00 = 0, 0, 0, 0
        for label in range(n_classes):
            both = 0
            for word in range(begin[U(label)], begin[U(label + 1)]):
                both += n_set(rows[U(test), U(word)] & rows[U(other), U(word)])
            mine, others, value = numbers[U(test), U(label)], numbers[U(other), U(label)], worth[U(label)]
            n_both += both
            n_other += others
            most_11 = max(most_11, both * value)
            most_10 = max(most_10, (mine - both) * value)
            most_01 = max(most_01, (others - both) * value)
            most_00 = max(most_00, (here[U(label)] - mine - others + both) * value)
        if most_11 + most_10 > left and min(n_both, n_mine - n_both) >= min_leaf:
            left = most_11 + most_10
        n_only = n_other - n_both
        if most_01 + most_00 > right and min(n_only, n - n_mine - n_only) >= min_leaf:
            right = most_01 + most_00
    known[0, 1], known[1, 1] = weight - left, frame[WEIGHT] - weight - right
    stack.registers[STEPS] += n_tests * (2 * begin[n_classes] + 6 * n_classes + 10)


@lean
def _stumps_by_walks(problem: Problem, stack: Stack, level: int, test: int) -> None:
    frame, seen, passes, known = stack.frame[level], stack.seen, stack.passes, stack.known[level, test]
    here, numbers, name, n = stack.here[level], stack.numbers[level, test], stack.name[level, test], frame[N]
    own, value = problem.attribute[name], problem.value[name]
    for rank in range(n):
        instance = stack.order[level, own, rank]
        code = problem.codes[own, instance]
        passes[instance] = code <= value if problem.is_numeric[own] else code == value
    known[0, 1], known[1, 1] = known[0, 0], known[1, 0]
    for attribute in range(stack.order.shape[1]):
        order, codes = stack.order[level, attribute], problem.codes[attribute]
        n_tests, is_numeric = problem.n_tests[attribute], problem.is_numeric[attribute]
        _clear(stack)
        touched_0, touched_1 = False, False
        for rank in range(n):
            instance = order[U(rank)]
            code = codes[U(instance)]
            if code >= n_tests:
                break
            if passes[U(instance)]:
                _add(problem, seen, 0, instance)
                touched_0 = True
            else:
                _add(problem, seen, 1, instance)
                touched_1 = True
            if rank + 1 < n and codes[U(order[U(rank + 1)])] == code:
                continue
            for side in range(2):
                if touched_1 if side == 1 else touched_0:
                    for column in range(len(here)):
                        total = here[column] - numbers[column] if side == 1 else numbers[column]
                        seen[2, column] = total - seen[side, column]
                    n_least = min(count_of(problem, seen[side]), count_of(problem, seen[2]))
                    if n_least >= problem.min_leaf:
                        cost = leaf_cost(problem, seen[side]) + leaf_cost(problem, seen[2])
                        known[side, 1] = min(known[side, 1], cost)
            touched_0, touched_1 = False, False
            if not is_numeric:
                _clear(stack)
    stack.registers[STEPS] += 6 * stack.order.shape[1] * n


@lean
def spread(problem: Problem, stack: Stack, level: int, test: int, more: int) -> None:
    """Bound the branches of an attribute's other thresholds by those of one threshold.

    The cost only grows with the set: the instances that pass a lower threshold also pass a higher one. And
    moving a threshold over some instances saves at most their weight. (Both as in Brita, van
    der Linden and Demirovic, "Optimal classification trees for continuous feature data using dynamic
    programming with branch-and-bound", 2025.)
    """
    if problem.min_leaf > 1:
        return
    known, weight, has_weight = stack.known[level], stack.weight[level], spares_weight(problem)
    left, right, mine = known[test, 0, more], known[test, 1, more], weight[test]
    for other in range(stack.first[level, test], test):
        known[other, 1, more] = max(known[other, 1, more], right)
        if has_weight:
            known[other, 0, more] = max(known[other, 0, more], left - (mine - weight[other]))
    for other in range(test + 1, stack.end[level, test]):
        known[other, 0, more] = max(known[other, 0, more], left)
        if has_weight:
            known[other, 1, more] = max(known[other, 1, more], right - (weight[other] - mine))
