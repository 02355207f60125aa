"""Threads share out the children: each is evaluated once, errors come home, nobody stays behind."""

from __future__ import annotations

import gc
import pickle
import threading
import time
from functools import partial

import numpy as np
import pytest

from gatree.evolution.evaluators.atomics import claim
from gatree.evolution.evaluators.thread_pool import ThreadPool
from gatree.kernels.decorators import lean


@lean
def claim_all(claims, n, taken):
    k = claim(claims)
    while k < n:
        taken[k] += 1
        k = claim(claims)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_everything_is_claimed_once(n_jobs):
    pool = ThreadPool(n_jobs)
    taken = np.zeros((n_jobs, 100_000), dtype=np.int64)
    for _ in range(3):
        pool.run_on_all(10, lambda thread: claim_all(pool.claims, taken.shape[1], taken[thread]))
    assert (taken.sum(axis=0)[10:] == 3).all()
    assert (taken[:, :10] == 0).all()


def test_members_work_at_the_same_time():
    pool = ThreadPool(3)
    together = threading.Barrier(3, timeout=20)
    pool.run_on_all(0, lambda _: together.wait())


@pytest.mark.parametrize("broken", [0, 1])
def test_an_error_reaches_the_one_who_asked_when_all_have_ended(broken):
    pool, together = ThreadPool(2), threading.Barrier(2, timeout=20)
    ended = []

    def work(thread):
        together.wait()
        if thread == broken:
            raise ValueError(f"thread {thread}")
        time.sleep(0.05)
        ended.append(thread)

    with pytest.raises(ValueError, match=f"thread {broken}"):
        pool.run_on_all(0, work)
    assert ended == [1 - broken]
    pool.run_on_all(0, lambda _: together.wait())  # it can go on


def test_a_crew_can_be_pickled_and_leaves_no_threads():
    before = set(threading.enumerate())
    pool = ThreadPool(3)
    pool.run_on_all(0, partial(lambda pool, _: pool.ledger.sum(), pool))  # as evaluators' work does
    started = set(threading.enumerate()) - before
    assert len(started) == 2
    again = pickle.loads(pickle.dumps(pool))
    seen = []
    together = threading.Barrier(3, timeout=20)
    again.run_on_all(0, lambda thread: (together.wait(), seen.append(thread)))
    assert sorted(seen) == [0, 1, 2]
    del pool, again
    gc.collect()
    for thread in started:
        thread.join(timeout=20)
        assert not thread.is_alive()
