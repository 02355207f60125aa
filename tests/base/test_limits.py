"""Refusals by size: one wording, the limit in it."""

from __future__ import annotations

import pytest

from gatree.base import limits
from gatree.base.errors import ConfigError, DataError
from gatree.base.limits import refuse_above


def test_a_refusal_names_what_where_how_many_and_the_limit():
    with pytest.raises(DataError, match=r"^my\.arff: 1,000,001 nodes; the limit is 1,000,000$"):
        refuse_above(1_000_000, 1_000_001, "nodes", "my.arff")
    with pytest.raises(ConfigError, match=r"^1,025 threads"):
        refuse_above(limits.MOST_THREADS, 1_025, "threads", error=ConfigError)
    refuse_above(10, 10, "folds")


@pytest.mark.parametrize("power", [30, 100, 5000])
def test_an_endless_number_is_told_by_its_magnitude(power: int):
    with pytest.raises(DataError, match=r"^more than 10\^\d+ trees") as refusal:
        refuse_above(limits.MOST_TREES, 10**power, "trees")
    reported = int(str(refusal.value).split("^")[1].split()[0])
    assert power * 0.99 - 2 <= reported < power
