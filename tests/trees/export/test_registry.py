"""Exports of other packages: found by their entry points, listed and written like gatree's own."""

from __future__ import annotations

import pytest
from example_trees import animal_tree

from gatree.base import plugins
from gatree.trees.export.registry import exports

SOURCE = """
from gatree.trees.export.registry import Export

SIZE = Export("its number of nodes", lambda tree: f"{tree.n_nodes} nodes\\n")
NO_EXPORT = 7
"""


@pytest.fixture
def register(tmp_path, monkeypatch):
    """Put a package on the path, with the metadata that an installation leaves."""

    def forget():
        for cached in (plugins._all_registered, plugins._loaded, exports):
            cached.cache_clear()

    def register(*points: str) -> None:
        (tmp_path / "tree_sizes.py").write_text(SOURCE)
        about = tmp_path / "tree_sizes-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tree-sizes\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join(["[gatree.exports]", *points, ""]))
        monkeypatch.syspath_prepend(tmp_path)
        forget()

    yield register
    forget()


def test_an_export_of_another_package_comes_after_gatrees_own(register):
    register("size = tree_sizes:SIZE")
    assert list(exports())[-1] == "size"
    assert exports()["size"].write(animal_tree()) == f"{animal_tree().n_nodes} nodes\n"


def test_what_is_no_export_is_named_and_left_out(register, caplog):
    register("size = tree_sizes:NO_EXPORT")
    assert "size" not in exports()
    assert "'size' is left out" in caplog.text


def test_a_name_of_gatrees_own_is_left_out_with_a_line(register, caplog):
    register("sql = tree_sizes:SIZE", "size = tree_sizes:SIZE")
    assert exports()["sql"].write(animal_tree()).startswith("CASE")
    assert "size" in exports()
    assert "a plug-in called 'sql' is left out" in caplog.text
