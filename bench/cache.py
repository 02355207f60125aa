"""How often an offspring, or its changed subtree, has been evaluated before: what a cache could find.

Reported apart from the paper's savings: inheritance takes from a parent, a cache from any tree before.
A subtree counts as known if the same subtree has stood below the same tests, whatever their order.
"""

from __future__ import annotations

from math import inf

from bench.common import Options, Report, Row, progress
from bench.evolutions import names, problem, settings
from gatree.evolution.breed import NONE
from gatree.evolution.evaluators.bits.bitset import BitsetEvaluator
from gatree.evolution.evolve import Evolution, evolve
from gatree.trees.genome import Tree

TITLE = "Identical trees and subtrees"

COLUMNS = {
    "dataset": "dataset",
    "n": "n",
    "offspring": "offspring",
    "unchanged": "equal to a parent as bred [%]",
    "trees_known": "tree known [%]",
    "subtrees_known": "tree or changed subtree known [%]",
    "keys_kept": "keys to keep",
    "found": "found in bitset's cache [% of stale subtrees]",
    "gain": "evaluation time without / with the cache",
    "instances_saved": "instances saved by inheritance [%]",
}

Key = tuple[object, ...]

NOTES = """\
- Population {size}, {size} generations, mutation 0.01, x-factor 1e4..1e5. These are counts, not times: the
  most that a cache which forgets nothing could find.
- Equal to a parent as bred: both roots were swapped, so nothing is evaluated anyway.
- Found and gain are of the real thing (`subtree_cache`, 16,384 places), timed, best of {repeats}: it pays
  where looking up is cheaper than a few words' ANDs, which is on large data.
"""


def measure(options: Options) -> Report:
    """Follow evolutions and count what comes again."""
    size = 20 if options.quick else 200
    rows = []
    for name in names(options.quick):
        progress(f"cache: {name}, {size} x {size}")
        rows.append(_follow(name, size) | _gain(name, size, options.repeats))
    return Report(
        rows,
        COLUMNS,
        notes=NOTES.format(size=size, repeats=options.repeats),
    )


def _follow(name: str, size: int) -> Row:
    """Count, in one evolution, the offspring whose evaluation was known."""
    data = problem(name)
    evolution = Evolution(data, settings("new", size))
    trees = {_tree_key(evolution.population.tree(slot)) for slot in evolution.population.alive.tolist()}
    subtrees: set[Key] = set()
    n_offspring = unchanged = trees_known = subtrees_known = 0
    for _ in range(size):
        evolution.step()
        for slot, stale in zip(evolution.births.slot.tolist(), evolution.births.stale.tolist(), strict=True):
            tree = evolution.population.tree(slot)
            whole, changed = _tree_key(tree), [subtree_key(tree, node) for node in stale if node != NONE]
            n_offspring += 1
            unchanged += not changed
            trees_known += whole in trees
            subtrees_known += whole in trees or all(key in subtrees for key in changed)
            trees.add(whole)
            subtrees.update(changed)
    return {
        "dataset": name,
        "n": data.n_instances,
        "offspring": n_offspring,
        "unchanged": 100 * unchanged / n_offspring,
        "trees_known": 100 * trees_known / n_offspring,
        "subtrees_known": 100 * subtrees_known / n_offspring,
        "keys_kept": len(trees) + len(subtrees),
        "instances_saved": 100 * evolution.outcome().ledger.instances_saved,
    }


def _gain(name: str, size: int, repeats: int) -> Row:
    """Time evolutions on bit sets with and without the cache, and count what it finds."""
    data = problem(name)
    chosen = {kept: settings("bitset", size, subtree_cache=kept) for kept in (False, True)}
    seconds = {False: inf, True: inf}
    for _ in range(repeats):
        for kept in chosen:
            seconds[kept] = min(seconds[kept], evolve(data, chosen[kept]).timing.evaluate)
    evolution = Evolution(data, chosen[True])
    for _ in range(size):
        evolution.step()
    assert isinstance(evolution.evaluator, BitsetEvaluator)
    looked_up, found = evolution.evaluator.cache_tally
    return {"found": 100 * found / max(1, looked_up), "gain": seconds[False] / seconds[True]}


def _tree_key(tree: Tree) -> Key:
    return tree.attribute.tobytes(), tree.value.tobytes()


def subtree_key(tree: Tree, node: int) -> Key:
    """Return what decides the correct count below a node: the tests above it, and the subtree."""
    above, here = set(), 0
    while here != node:
        passed = node < tree.right(here)
        above.add((int(tree.attribute[here]), int(tree.value[here]), passed))
        here = tree.left(here) if passed else tree.right(here)
    below = slice(node, node + int(tree.span[node]))
    return frozenset(above), tree.attribute[below].tobytes(), tree.value[below].tobytes()
