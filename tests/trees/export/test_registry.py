"""Exports of other packages: found by their entry points, listed and written like gatree's own."""

from __future__ import annotations

from example_trees import animal_tree

from gatree.base import plugins
from gatree.trees.export.registry import exports

SOURCE = """
from gatree.trees.export.registry import Export

SIZE = Export("its number of nodes", lambda tree: f"{tree.n_nodes} nodes\\n")
NO_EXPORT = 7
"""


def test_exports_of_another_package_come_after_gatrees_own(tmp_path, monkeypatch, caplog):
    """With the metadata that an installation leaves; what is of no use is left out with a line."""
    (tmp_path / "tree_sizes.py").write_text(SOURCE)
    about = tmp_path / "tree_sizes-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tree-sizes\nVersion: 1.0\n")
    points = ["[gatree.exports]", *(f"{name} = tree_sizes:SIZE" for name in ("sql", "size")), ""]
    (about / "entry_points.txt").write_text("\n".join([*points, "other = tree_sizes:NO_EXPORT", ""]))
    monkeypatch.syspath_prepend(tmp_path)
    known = (plugins._all_registered, plugins._loaded, exports)
    try:
        for cached in known:
            cached.cache_clear()
        assert list(exports())[-1] == "size"
        assert exports()["size"].write(animal_tree()) == f"{animal_tree().n_nodes} nodes\n"
        assert exports()["sql"].write(animal_tree()).startswith("CASE")
    finally:
        for cached in known:
            cached.cache_clear()
    assert "'other' is left out" in caplog.text
    assert "a plug-in called 'sql' is left out" in caplog.text
