import numpy as np
import pandas as pd
import pytest
from j48_cases import generated

from gatree.base.errors import DataError
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, fit, growing
from gatree.j48.build import build, flat, prune_by_held_out
from gatree.j48.growing import Growing
from gatree.j48.problem import J48Problem, NodeScratch, SplitSearch
from gatree.j48.settings import Options
from gatree.weka.folds import split_off


def tight(problem, rows, scratch):
    """Allocate only a root and its children, so that kernels have to return for more memory."""
    growing = Growing.of(1 + len(scratch.branches), len(rows), problem.n_classes)
    return growing._replace(pool=growing.pool[: len(rows)].copy())


def assert_equal_nodes(one, other):
    assert one.children == other.children
    for name, expected in other._replace(children=[])._asdict().items():
        np.testing.assert_array_equal(getattr(one._replace(children=[]), name), expected, err_msg=name)


def built_in_tight_room(dataset, settings):
    problem, rows = J48Problem.of(dataset), np.flatnonzero(dataset.classes >= 0)
    scratch, search = (
        NodeScratch.of(problem.n_values, problem.n_classes),
        SplitSearch.of(problem, settings.binary_splits),
    )
    growing = tight(problem, rows, scratch)
    return growing.run(build, rows, True, problem.cells, Options.of(settings), scratch, search)


@pytest.mark.parametrize("name", ["vote", "credit-a", "lymph"])
@pytest.mark.parametrize("binary", [True, False])
def test_enlarging_arrays_does_not_change_the_tree(name, binary):
    dataset, settings = load_dataset(name), J48Settings(binary_splits=binary)
    growing = built_in_tight_room(dataset, settings)
    assert len(growing.pool) > dataset.n_instances
    assert_equal_nodes(flat(growing), fit(dataset, settings).nodes)


@pytest.mark.parametrize("number", range(12))
def test_enlarging_arrays_does_not_change_reduced_error_pruning(number):
    dataset = generated(number)
    problem, rows = J48Problem.of(dataset), np.flatnonzero(dataset.classes >= 0)
    train, held_out = split_off(rows, 3, 2)
    settings = J48Settings(pruning="reduced-error")
    scratch, search = (
        NodeScratch.of(problem.n_values, problem.n_classes),
        SplitSearch.of(problem, binary=True),
    )
    trees = []
    for n_places in (len(rows), 100 * len(rows)):
        growing = tight(problem, rows, scratch)
        growing = growing.run(build, train, True, problem.cells, Options.of(settings), scratch, search)
        pool = np.empty(n_places, dtype=growing.pool.dtype)
        growing = growing._replace(pool=pool).run(prune_by_held_out, held_out, False, problem.cells, scratch)
        trees.append(flat(growing))
    assert_equal_nodes(*trees)


@pytest.mark.no_jit
@pytest.mark.parametrize("number", [1, 2, 6])
def test_interpreted_kernels_give_the_same_tree(number):
    dataset, settings = generated(number), J48Settings()
    growing = built_in_tight_room(dataset, settings)
    assert_equal_nodes(flat(growing), fit(dataset, settings).nodes)
    assert fit(dataset, settings).size > 1


def test_pauses_do_not_change_the_tree(monkeypatch):
    data = load_dataset("vote")
    whole = fit(data).to_text()
    pauses = []
    monkeypatch.setattr(growing, "_PAUSE", 0)
    once = growing.Growing.run

    def counted(self, kernel, *arguments, **options):
        def run(*given):
            pauses.append(kernel(*given))
            return pauses[-1]

        return once(self, run, *arguments, **options)

    monkeypatch.setattr(growing.Growing, "run", counted)
    assert fit(data).to_text() == whole
    assert pauses.count(growing.PAUSED) > 10


def test_a_category_with_a_thousand_values_is_given_up():
    rng = np.random.default_rng(0)
    planes = [f"n{number}" for number in rng.integers(0, 1_000, 3_000)]
    data = Dataset.from_frame(pd.DataFrame({"plane": planes, "late": rng.choice(["no", "yes"], 3_000)}))
    with pytest.raises(DataError, match="J48 takes more than 2,000,000 steps"):
        fit(data, most_work=2_000_000)
