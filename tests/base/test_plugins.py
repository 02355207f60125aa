"""Parts of other packages: found by entry points; a broken one is left out, two of one name are refused."""

from __future__ import annotations

import logging

import pytest

from gatree.base.errors import ConfigError
from gatree.base.plugins import load_plugins, plugin_sources


def test_parts_come_by_name(install):
    source = "A, B = 'a', 'b'\n"
    path = install("my-parts", source, "gatree.tests", "second = my_parts:B", "first = my_parts:A")
    (path.parent / "not_registered.py").write_text("B = 1\n")
    assert plugin_sources(["gatree.tests", "gatree.other-tests"]) == {"my_parts/my_parts.py": source.encode()}
    assert load_plugins("gatree.tests") == {"first": "a", "second": "b"}
    assert list(load_plugins("gatree.tests")) == ["first", "second"]
    assert load_plugins("gatree.other-tests") == {}


def test_a_part_that_fails_to_import_is_named_in_one_line_and_left_out(install, caplog):
    install("broken-parts", "raise ValueError('no\\nway')\n", "gatree.tests", "bad = broken_parts:A")
    install("my-parts", "A = 'a'\n", "gatree.tests", "good = my_parts:A", "missing = my_parts:B")
    with caplog.at_level(logging.WARNING):
        assert load_plugins("gatree.tests") == {"good": "a"}
        assert load_plugins("gatree.tests") == {"good": "a"}
    bad, missing = caplog.messages
    assert bad == "gatree.tests: 'bad' of broken-parts is left out: ValueError: no"
    assert missing.startswith("gatree.tests: 'missing' of my-parts is left out: AttributeError: module 'my_p")


def test_two_of_one_name_are_refused(install):
    install("my-parts", "A = 'a'\n", "gatree.tests", "same = my_parts:A")
    with pytest.raises(ConfigError, match="my-parts registers 'same', a name of gatree's own"):
        load_plugins("gatree.tests", own=["arff", "same"])
    install("your-parts", "A = 'a'\n", "gatree.tests", "same = your_parts:A")
    with pytest.raises(ConfigError, match=r"^gatree\.tests: (my|your)-parts and (my|your)-parts both regis"):
        load_plugins("gatree.tests")
