"""A second process that does a part of the work: the result is that of one."""

import os

import pytest

from gatree.experiments.pool import BackgroundCall


def elsewhere(owner):
    return os.getpid() != owner


def ends_elsewhere(owner):
    if os.getpid() != owner:
        os._exit(3)
    return "made here"


def refuse(what):
    raise ValueError(f"no {what}")


def test_a_call_is_made_in_another_process():
    with BackgroundCall(elsewhere, os.getpid()) as call:
        assert call.result() is True


def test_a_call_whose_process_dies_is_made_here():
    with BackgroundCall(ends_elsewhere, os.getpid()) as call:
        assert call.result() == "made here"


def test_an_error_is_met_here():
    with pytest.raises(ValueError, match="no luck"), BackgroundCall(refuse, "luck") as call:
        call.result()


def test_nobody_waits_for_a_call_that_is_not_asked_for(tmp_path):
    with BackgroundCall(os.system, "sleep 60") as call:
        pass
    assert not call._process.is_alive()
