"""Ctrl-C at any moment of a fit: no wait for a kernel's end, and if there is a tree, it is kept."""

import signal
import threading

import pytest

from gatree.base.background import Interrupted
from gatree.data.catalog import load_dataset
from gatree.smalltree import choose, fit
from gatree.smalltree.fit import fit_front
from gatree.smalltree.settings import RegressionSettings, SearchSettings

QUICK = {"n_folds": 2, "most_repeats": 1, "most_offspring": 5, "polished": (), "work": 2e6, "population": 0}
DATA = load_dataset("glass")


class Deaf:
    """Replaces a function by one that sends Ctrl-C, and works only after `go_on`."""

    def __init__(self, module, name, patch):
        self._function = getattr(module, name)
        self._may_go_on, self.has_ended = threading.Event(), threading.Event()
        patch.setattr(module, name, self)

    def __call__(self, *arguments):
        signal.raise_signal(signal.SIGINT)
        self._may_go_on.wait(60)
        found = self._function(*arguments)
        self.has_ended.set()
        return found

    def go_on(self):
        self._may_go_on.set()
        assert self.has_ended.wait(60)


@pytest.mark.parametrize("target", [None, DATA.columns[0]], ids=["classes", "numbers"])
def test_ctrl_c_during_the_proofs_keeps_the_trees_found_before(target, monkeypatch):
    data = DATA if target is None else DATA.with_numbers(target)
    settings = (SearchSettings if target is None else RegressionSettings)(**QUICK)
    with monkeypatch.context() as patch:
        patch.setattr(fit, "prove", lambda *_: None)
        expected = fit_front(data, settings)
    proofs = Deaf(fit, "prove", monkeypatch)
    with pytest.raises(Interrupted) as stopped:
        fit_front(data, settings)
    proofs.go_on()
    found = stopped.value.found
    assert found.tree == expected.tree
    assert found.fronts["evolved"].worth.tolist() == expected.fronts["evolved"].worth.tolist()
    assert not found.fronts["evolved"].proven.any()


@pytest.mark.parametrize(("module", "name"), [(fit, "prepare"), (choose, "search_fronts")])
def test_ctrl_c_before_there_is_a_tree_ends_the_fit(module, name, monkeypatch):
    work = Deaf(module, name, monkeypatch)
    with pytest.raises(KeyboardInterrupt) as stopped:
        fit_front(DATA, SearchSettings(**QUICK, n_jobs=1))
    work.go_on()
    assert not isinstance(stopped.value, Interrupted)
