"""Threads share out the children: each is evaluated once, errors come home, nobody stays behind."""

from __future__ import annotations

import gc
import pickle
import threading
import time
from functools import partial

import numpy as np
import pytest

from gatree.evolution.evaluators.claim import claim
from gatree.evolution.evaluators.crew import Crew
from gatree.kernels.decorators import lean


@lean
def claim_all(claims, n, taken):
    k = claim(claims)
    while k < n:
        taken[k] += 1
        k = claim(claims)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_everything_is_claimed_once(n_jobs):
    crew = Crew(n_jobs)
    taken = np.zeros((n_jobs, 100_000), dtype=np.int64)
    for _ in range(3):
        crew.share(10, lambda member: claim_all(crew.claims, taken.shape[1], taken[member]))
    assert (taken.sum(axis=0)[10:] == 3).all()
    assert (taken[:, :10] == 0).all()


def test_members_work_at_the_same_time():
    crew = Crew(3)
    together = threading.Barrier(3, timeout=20)
    crew.share(0, lambda _: together.wait())


@pytest.mark.parametrize("broken", [0, 1])
def test_an_error_reaches_the_one_who_asked_when_all_have_ended(broken):
    crew, together = Crew(2), threading.Barrier(2, timeout=20)
    ended = []

    def work(member):
        together.wait()
        if member == broken:
            raise ValueError(f"member {member}")
        time.sleep(0.05)
        ended.append(member)

    with pytest.raises(ValueError, match=f"member {broken}"):
        crew.share(0, work)
    assert ended == [1 - broken]
    crew.share(0, lambda _: together.wait())  # it can go on


def test_a_crew_can_be_pickled_and_leaves_no_threads():
    before = set(threading.enumerate())
    crew = Crew(3)
    crew.share(0, partial(lambda crew, _: crew.ledger.sum(), crew))  # as evaluators' work does
    hired = set(threading.enumerate()) - before
    assert len(hired) == 2
    again = pickle.loads(pickle.dumps(crew))
    seen = []
    together = threading.Barrier(3, timeout=20)
    again.share(0, lambda member: (together.wait(), seen.append(member)))
    assert sorted(seen) == [0, 1, 2]
    del crew, again
    gc.collect()
    for thread in hired:
        thread.join(timeout=20)
        assert not thread.is_alive()
