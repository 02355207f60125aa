"""Work in another thread: its result, its exceptions, and Ctrl-C while it does not return to Python."""

import hashlib
import signal
import threading

import pytest

from gatree.base.background import interruptible


def test_results_and_exceptions_come_back():
    assert interruptible(lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0)
    with pytest.raises(TimeoutError, match=r"no answer within 0\.01 s"):
        interruptible(threading.Event().wait, 0.01)


def test_ctrl_c_does_not_wait_for_a_library():
    finished = threading.Event()

    def compute():
        hashlib.pbkdf2_hmac("sha256", b"", b"", 3_000_000)  # seconds in which no signal is handled
        finished.set()

    main = threading.get_ident()
    threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(compute)
    assert not finished.is_set()
