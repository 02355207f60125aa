"""Names with control characters: escaped wherever they are printed or drawn."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from arff_text import parse_arff
from hypothesis import given
from hypothesis import strategies as st

from gatree.base.errors import DataError, visible
from gatree.data.coding import code
from gatree.j48 import fit
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree
from gatree.trees.plot import plot_tree

STEERING = "\x1b[2J\x07\x9b5m\x7f"
ESCAPED = r"\x1b[2J\x07\x9b5m\x7f"
ARFF = f"""@relation 'r{STEERING}'
@attribute 'a{STEERING}' {{'v{STEERING}',w}}
@attribute 'k{STEERING}' {{'p{STEERING}',q}}
@data
'v{STEERING}','p{STEERING}'
'v{STEERING}','p{STEERING}'
w,q
w,q
"""


@given(st.text())
def test_what_is_visible_steers_nothing(text):
    shown = visible(text)
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown)
    shown.encode()
    ElementTree.fromstring(f"<a>{shown.replace('&', '').replace('<', '')}</a>")
    if text.isprintable():
        assert shown == text


def steered_tree() -> DecisionTree:
    dataset = parse_arff(ARFF)
    return DecisionTree.of(Tree.nested((0, 0, 0, 1)), code(dataset, "integer"), dataset)


def test_trees_as_text():
    model = steered_tree()
    for text in (
        model.to_text(),
        model.to_text(style="sklearn"),
        model.to_dot(),
        fit(parse_arff(ARFF)).to_text(),
    ):
        assert not set(STEERING) & set(text) - set("[2J5m")
        assert "x1b[2J" in text


def test_a_picture_is_well_formed(tmp_path):
    plot_tree(steered_tree(), file=tmp_path / "tree.svg")
    ElementTree.parse(tmp_path / "tree.svg")


def gatree(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "gatree", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, cwd=folder, check=False)


@pytest.mark.parametrize("options", [(), ("--format", "json"), ("--class", f"none{STEERING}")])
def test_the_terminal_gets_no_control_characters(tmp_path, options):
    (tmp_path / "odd.arff").write_text(ARFF, encoding="utf-8")
    done = gatree("datasets", "info", "odd.arff", *options, folder=tmp_path)
    assert b"Traceback" not in done.stderr
    for output in (done.stdout, done.stderr):
        assert not {"\x1b", "\x07", "\x9b", "\x7f"} & set(output.decode())
    if "json" in options:
        assert json.loads(done.stdout)["name"] == f"r{STEERING}"


def test_a_path_that_is_no_utf_8_is_no_traceback(tmp_path):
    odd = tmp_path / "odd\udcff.csv"
    odd.write_text("a,k\n1,x\n2,y\n")
    done = gatree("datasets", "info", odd, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stderr or done.stderr.startswith(b"reading "), "a slow machine shows its progress"
    assert rb"odd\udcff: 2 instances" in done.stdout
    missing = gatree("datasets", "info", tmp_path / "none\udcff.csv", folder=tmp_path)
    assert missing.returncode == 1
    assert missing.stderr.startswith(b"error: ")


def test_half_a_surrogate_pair_in_a_tree_file_is_refused():
    text = steered_tree().to_json()
    assert DecisionTree.from_json(text.replace('"q"', '"\\ud83d\\ude00"'))
    with pytest.raises(DataError, match=r"^t\.json: damaged: text with half of a surrogate pair$"):
        DecisionTree.from_json(text.replace('"q"', '"\\ud83d"'), "t.json")
