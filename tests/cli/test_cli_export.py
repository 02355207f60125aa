"""`gatree export`, and trees that `gatree j48` keeps and draws."""

from __future__ import annotations

import pickle
from pathlib import Path

import onnxruntime
import pytest
from click.testing import CliRunner, Result
from example_trees import animal_tree

from gatree.cli.main import cli
from gatree.data.catalog import load_dataset
from gatree.j48 import fit
from gatree.trees.export.registry import exports
from gatree.trees.model import DecisionTree


def gatree(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def tree_file(tmp_path: Path) -> Path:
    file = tmp_path / "tree.json"
    file.write_text(animal_tree().to_json())
    return file


@pytest.mark.parametrize("form", [name for name in exports() if name not in ("onnx", "sklearn")])
def test_text_goes_to_stdout_or_into_a_file(form: str, tree_file: Path, tmp_path: Path):
    expected = getattr(animal_tree(), f"to_{form}")()
    assert gatree("export", tree_file, "--to", form).stdout == expected
    assert gatree("export", tree_file, "--to", form, "--output", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out").read_text() == expected


def test_onnx_and_sklearn_need_a_file(tree_file: Path, tmp_path: Path):
    for form in ("onnx", "sklearn"):
        assert gatree("export", tree_file, "--to", form).exit_code == 2
        assert gatree("export", tree_file, "--to", form, "--output", tmp_path / form).exit_code == 0
    assert len(onnxruntime.InferenceSession(tmp_path / "onnx").get_inputs()) == 3
    assert pickle.loads((tmp_path / "sklearn").read_bytes()).classes_.tolist() == ["mammal", "bird", "fish"]


def test_sql_has_a_dialect_and_a_table(tree_file: Path):
    written = gatree("export", tree_file, "--to", "sql", "--dialect", "mysql", "--table", "zoo").stdout
    assert written == animal_tree().to_sql("mysql", "zoo")
    refused = gatree("export", tree_file, "--to", "rules", "--table", "zoo")
    assert refused.exit_code == 2
    assert "are for --to sql" in refused.output
    refused = gatree("export", tree_file, "--to", "dot", "--output", tree_file.parent / "no" / "tree.dot")
    assert refused.exit_code == 2
    assert "there is no folder" in refused.output


def test_j48_saves_and_draws(tmp_path: Path):
    done = gatree("j48", "zoo", "--save", tmp_path / "zoo.json", "--picture", tmp_path / "zoo.svg")
    assert done.exit_code == 0, done.output
    kept = DecisionTree.from_json((tmp_path / "zoo.json").read_text())
    assert kept == fit(load_dataset("zoo")).to_decision_tree()
    assert (tmp_path / "zoo.svg").stat().st_size > 1000
    assert gatree("predict", tmp_path / "zoo.json", "zoo").exit_code == 0
