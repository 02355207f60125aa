"""Small data with names that are hostile to a page, and what is found on them."""

import numpy as np
import pytest
from odd_data import EVIL, RTL, odd_frame

from gatree.data.dataset import Dataset
from gatree.data.load import read
from gatree.settings.small_tree import SmallTreeSettings
from gatree.study.finding import Request, compare, find, find_other_firsts, validate

QUICK = SmallTreeSettings(effort=0.002)


def explore(dataset, settings, **request):
    return compare(find_other_firsts(validate(find(dataset, Request(settings, **request)))))


@pytest.fixture(scope="session")
def odd_data():
    return Dataset.from_frame(odd_frame(), name="odd </script>")


@pytest.fixture(scope="session")
def found(odd_data):
    return explore(odd_data, QUICK, command="gatree explore odd.csv")


@pytest.fixture(scope="session")
def found_numbers(tmp_path_factory):
    frame = odd_frame().drop(columns=["day"])[:100]
    frame["y"] = frame[RTL].fillna(0) * 10 + (frame["label"] == EVIL) * 30 + np.arange(len(frame)) / 100
    file = tmp_path_factory.mktemp("data") / "numbers.csv"
    frame.to_csv(file, index=False)
    return explore(read(file).dataset(regression=None), QUICK)
