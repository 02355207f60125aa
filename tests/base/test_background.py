"""Work in another thread: its result, its exceptions, and Ctrl-C while it does not return to Python."""

import signal
import threading
import time

import pytest

from gatree.base.background import in_threads, interruptible


def test_results_and_exceptions_come_back():
    assert interruptible(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0)
    with pytest.raises(TimeoutError, match=r"no answer within 0\.01 s"):
        interruptible(threading.Event().wait, 0.01)


def test_ctrl_c_does_not_wait_for_a_library():
    """Also one that another thread receives."""
    started = time.monotonic()
    threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda: time.sleep(20))
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_of_threads_are_in_order_and_an_exception_ends_them(n_threads):
    assert list(in_threads(lambda n: n * n, range(20), n_threads)) == [n * n for n in range(20)]
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda n: 1 / n, [1, 0, 1], n_threads))


def test_what_is_interrupted_waits_for_no_thread_and_starts_nothing_else():
    started, end = [], threading.Event()

    def wait(number):
        started.append(number)
        return number == 0 or end.wait(60)

    results = in_threads(wait, range(10), 2)
    assert next(results)
    results.close()  # as Ctrl-C does; it would wait for a minute
    end.set()
    assert len(started) <= 4
