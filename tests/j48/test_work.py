"""A J48 tree is built in parts between which Python has its turn, and given up after a number of steps."""

import numpy as np
import pytest

from gatree import load_dataset
from gatree.base.errors import DataError
from gatree.data.attribute import Attribute
from gatree.data.dataset import Dataset
from gatree.j48 import fit, growing


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
    n, names = 3_000, tuple(f"n{i}" for i in range(1_000))
    data = Dataset(
        name="planes",
        attributes=(Attribute("plane", "nominal", names),),
        class_attribute=Attribute("late", "nominal", ("no", "yes")),
        columns=(rng.integers(0, len(names), n).astype(np.int32),),
        classes=rng.integers(0, 2, n).astype(np.int32),
        class_position=1,
    )
    with pytest.raises(DataError, match="J48 takes more than 2,000,000 steps"):
        fit(data, most_work=2_000_000)
