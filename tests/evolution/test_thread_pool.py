"""The thread pool evaluates each child once, raises errors in the caller, and leaves no threads."""

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
def test_every_item_is_claimed_once(n_jobs):
    pool = ThreadPool(n_jobs)
    taken = np.zeros((n_jobs, 100_000), dtype=np.int64)
    for _ in range(3):
        pool.run_on_all(10, lambda thread: claim_all(pool.claims, taken.shape[1], taken[thread]))
    assert (taken.sum(axis=0)[10:] == 3).all()
    assert (taken[:, :10] == 0).all()


def test_threads_run_in_parallel():
    pool = ThreadPool(3)
    together = threading.Barrier(3, timeout=20)
    pool.run_on_all(0, lambda _: together.wait())


@pytest.mark.parametrize("broken", [0, 1])
def test_an_error_is_raised_in_the_caller_after_all_threads_have_finished(broken):
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
    pool.run_on_all(0, lambda _: together.wait())  # the pool is still usable


def test_a_pool_can_be_pickled_and_leaves_no_threads():
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
