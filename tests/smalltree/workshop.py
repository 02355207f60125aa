"""What tests of fronts share: cases of a data set, drafts of trees, trees of prune."""

import naive
import numpy as np
from plain_python import as_python

from gatree.data.coding import code
from gatree.smalltree import loop
from gatree.smalltree.draft import NO_TREES, Draft, make_workspace
from gatree.smalltree.grow import ENTROPY, GAIN_RATIO, GINI
from gatree.smalltree.prepare import scale_of
from gatree.smalltree.prune import make_archive, tree_at
from gatree.smalltree.search import SearchPlan
from gatree.smalltree.task import CORRECT_UNIT, PURITY_UNIT, DistinctRows, TreeLimits, task_of, worth_of_costs
from gatree.trees.genome import Tree, spans_of


def interpreted(kernel):
    """A kernel as a Python function. Only the search is called from Python, so only it is compiled."""
    function = as_python(kernel)

    def call(*arguments):
        with np.errstate(all="ignore"):  # compiled code does not warn
            return function(*arguments)

    return call


offer_greedy = interpreted(loop.offer_greedy)


def of_all_nodes(sweep):
    """A sweep in which every test may be improved."""

    def call(task, buffers, one, other):
        buffers.nodes.stale[:] = 1
        return sweep(task, buffers, one, other)

    return call


def swept_completely(sweep, workspace, n_nodes, n_sweeps, weigh=None):
    """The tree in ``workspace.one`` after some sweeps, as nested tuples."""
    for _ in range(n_sweeps):
        if weigh is not None:
            weigh(workspace.task, workspace.buffers, workspace.one)
        n_nodes, _ = sweep(workspace.task, workspace.buffers, workspace.one, workspace.other)
        nested(workspace.other, n_nodes)  # sets the spans
        for part, values in zip(workspace.one, workspace.other, strict=True):
            part[:n_nodes] = values[:n_nodes]
    return nested(workspace.one, n_nodes)


def rows_of(dataset, coding, limits, worth=None, gain=None, target=None, weight=None):
    """The rows of a data set as they are, none of them joined with an equal one."""
    cases, codes = coding.coded(dataset, in_order=True), coding.encode(dataset.columns, dataset.n_instances)
    if target is not None:
        cases = cases._replace(classes=np.zeros(dataset.n_instances, dtype=np.int32), n_classes=1)
    order = np.arange(dataset.n_attributes)
    return DistinctRows(
        cases=cases,
        weight=np.ones(dataset.n_instances, dtype=np.int64) if weight is None else weight,
        scale=scale_of(dataset, order, coding, codes),
        order=order,
        limits=limits,
        worth=np.ones(cases.n_classes, dtype=np.int64) if worth is None else worth,
        gain=np.zeros((0, 0), dtype=np.int64) if gain is None else gain,
        target=target,
    )


def correct_of(score):
    """The correct weight in a score."""
    return score // CORRECT_UNIT


class AnyWorkshop:
    """A data set, the workspace of a search, and twins of what kernels compute, of classes or of numbers."""

    def put(self, tree):
        """Lay a tree into the first draft; return its nodes."""
        for part, values in zip(self.workspace.one, (tree.attribute, tree.value, tree.span), strict=True):
            part[: tree.n_nodes] = values
        return tree.n_nodes

    def score(self, nested):
        return sum(map(self.leaf_score, naive.instances_at_leaves(self.naive, nested).values()))

    def splits(self, instances):
        """Yield the tests that leave enough instances on both sides, with those."""
        for attribute in range(self.dataset.n_attributes):
            for test in range(self.naive.n_tests(attribute)):
                left = [i for i in instances if self.naive.passes(i, attribute, test)]
                right = [i for i in instances if i not in left]
                if min(len(left), len(right)) >= self.min_leaf:
                    yield attribute, test, left, right

    def margin(self, attribute, left, right):
        """The share of an attribute's tests that part these instances so."""
        n_tests, codes = self.naive.n_tests(attribute), self.cases.codes[attribute]
        if self.dataset.attributes[attribute].is_nominal:
            return 1 / n_tests
        return (min([n_tests, *codes[right]]) - max(codes[left])) / n_tests


class Workshop(AnyWorkshop):
    def __init__(
        self,
        dataset,
        worth=None,
        min_leaf=1,
        most_leaves=16,
        numeric_tests="observed",
        gain=None,
        limits=None,
    ):
        self.dataset, self.most_leaves, self.min_leaf = dataset, most_leaves, max(1, min_leaf)
        self.gain = None if gain is None else np.array(gain, dtype=np.int64)
        given = np.array(worth or [1] * dataset.n_classes, dtype=np.int64)
        self.worth = given if gain is None else worth_of_costs(self.gain)
        self.limits = (limits or TreeLimits(min_split=0 if min_leaf == 0 else 2))._replace(min_leaf=min_leaf)
        self.coding = code(dataset, numeric_tests)
        self.rows = rows_of(dataset, self.coding, self.limits, self.worth, self.gain)
        self.task, self.cases = task_of(self.rows), self.rows.cases
        self.workspace = make_workspace(self.task, most_leaves)
        self.naive = naive.Data.of(dataset, numeric_tests)

    def counted(self, instances, label):
        """What giving a label to instances counts."""
        if self.gain is None:
            return sum(int(self.worth[label]) for i in instances if self.dataset.classes[i] == label)
        return sum(int(self.gain[self.dataset.classes[i], label]) for i in instances)

    def label(self, instances):
        """The label that counts most, the first of equal ones."""
        return max(range(self.dataset.n_classes), key=lambda label: self.counted(instances, label))

    def leaf_score(self, instances):
        """What a leaf with these instances gets right and, far behind, its purity."""
        weights = [
            int(self.worth[c]) * sum(self.dataset.classes[i] == c for i in instances)
            for c in range(self.dataset.n_classes)
        ]
        whole = int(self.worth[self.dataset.classes].sum())
        squares = float(sum(weight * weight for weight in weights))
        purity = squares / sum(weights) * (PURITY_UNIT / whole) if any(weights) else 0.0
        return CORRECT_UNIT * self.counted(instances, self.label(instances)) + int(purity)

    def correct(self, nested):
        leaves = naive.instances_at_leaves(self.naive, nested)
        labels = dict(naive.nodes(nested))
        return sum(self.counted(instances, labels[path]) for path, instances in leaves.items())

    def sides(self, instances, test):
        """The instances that pass a test, and those that fail."""
        passing = [i for i in instances if self.naive.passes(i, *test)]
        return passing, [i for i in instances if i not in passing]

    def allows(self, instances, depth):
        """Whether a test may be here; directions aside."""
        return depth < self.limits.max_depth and len(instances) >= self.limits.min_split


def both_plans(most_leaves, polished=(2, 4)):
    """The plans of a search that starts and, with six offspring, goes on."""
    nothing = np.zeros(0, dtype=np.int64)
    begins = SearchPlan(True, np.array(polished), 0, False, np.zeros((0, loop.N_UNIFORMS)), 10**9, NO_TREES)
    uniforms = np.random.default_rng(1).random((6, loop.N_UNIFORMS))
    return begins, SearchPlan(False, nothing, most_leaves, True, uniforms, 2 * 10**9, NO_TREES)


def greedy_front(workspace, most_leaves, criteria=(GINI, ENTROPY, GAIN_RATIO)):
    """The best prunings of greedy trees."""
    archive = make_archive(most_leaves)
    for criterion in criteria:
        offer_greedy(workspace, archive, criterion)
    return archive


def nested(draft: Draft, n_nodes: int):
    """The tree in a draft as nested tuples."""
    attribute, value, span = (part[:n_nodes] for part in draft)
    span[:] = spans_of(attribute)
    return naive.to_nested(Tree(attribute, value, span))


def nested_at(archive, place):
    return naive.to_nested(tree_at(archive, place))
