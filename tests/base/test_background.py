"""Work in another thread: its result, its exceptions, and Ctrl-C while it does not return to Python."""

import signal
import threading
import time

import pytest

from gatree.base.background import interruptible


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
