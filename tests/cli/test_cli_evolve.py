"""`gatree evolve` and `gatree predict`: options, output for people and programs, files, Ctrl-C."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from terminals import interrupted, needs_a_terminal

from gatree import DecisionTree, load_dataset
from gatree.base.errors import ConfigError, DataError
from gatree.cli.evolve import evolve as evolve_command
from gatree.cli.evolve_once import Watch
from gatree.cli.main import cli
from gatree.evolution.cross_validation import cross_validate
from gatree.evolution.evolve import evolve
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS, settings_of

QUICK = ["--population", "30", "--generations", "20", "--folds", "0"]
QUICK_SETTINGS = settings_of("default", {"population_size": 30, "n_generations": 20})


def gatree(*arguments: str, fails: bool = False) -> Result:
    result = CliRunner().invoke(cli, list(arguments))
    if not fails:
        assert result.exit_code == 0, result.output
    return result


def evolved(*arguments: str) -> dict:
    return json.loads(gatree("evolve", *arguments, "--json").stdout)


def test_json_has_the_numbers_of_the_evolution():
    found, outcome = evolved("zoo", *QUICK), evolve(load_dataset("zoo"), QUICK_SETTINGS)
    assert found["accuracy"] == outcome.accuracy
    assert (found["n_nodes"], found["n_leaves"]) == (outcome.best.n_nodes, outcome.best.n_leaves)
    assert found["payoff"] == outcome.payoff
    assert found["savings"] == outcome.ledger.instances_saved
    assert found["evaluations"] == outcome.n_evaluations == 30 + 20 * 8
    assert found["seconds"] > 0
    assert found["interrupted"] is False
    assert found["cross_validation"] is None
    assert found["settings"] == QUICK_SETTINGS.model_dump(mode="json")
    tree = DecisionTree.from_json(json.dumps(found["tree"]))
    assert tree.counts is not None
    assert sum(tree.counts[node, tree.tree.value[node]] for node in leaves(tree)) == outcome.n_correct


def leaves(tree: DecisionTree) -> list[int]:
    return [node for node in range(tree.n_nodes) if tree.tree.is_leaf(node)]


def test_text_has_the_tree_and_its_numbers():
    text = gatree("evolve", "zoo", *QUICK, "--folds", "3").stdout
    outcome = evolve(load_dataset("zoo"), QUICK_SETTINGS)
    assert f"accuracy     {outcome.accuracy:.4f} on the training data ({outcome.n_correct} of 101)" in text
    assert f"size         {outcome.best.n_nodes} nodes, {outcome.best.n_leaves} leaves" in text
    assert "accuracy in cross-validation (3 folds)" in text
    assert text.count(": ") >= outcome.best.n_leaves  # each leaf's branch ends in its class


def test_folds():
    found = evolved("lymph", *QUICK, "--folds", "4")
    folds = list(cross_validate(load_dataset("lymph"), QUICK_SETTINGS, 4))
    crossed, compared = found["cross_validation"], found["compared"]
    assert crossed["folds"] == 4
    assert crossed["accuracy"] == sum(fold.test_correct for fold in folds) / 148
    assert crossed["n_leaves"] == sum(fold.outcome.tree.simplified().n_leaves for fold in folds) / 4
    j48 = json.loads(gatree("j48", "lymph", "--folds", "4", "--json").stdout)
    assert compared["J48"]["accuracy"] == j48["cv_correct"] / 148
    assert (compared["majority"]["accuracy"], compared["majority"]["n_leaves"]) == (81 / 148, 1.0)


def test_other_methods_come_after_the_tree_unless_they_are_not_wanted():
    some = ("zoo", *QUICK[:4], "--folds", "3")
    lines = gatree("evolve", *some).stdout.splitlines()
    found = evolved(*some)
    j48 = found["compared"]["J48"]
    shown = f"J48          {j48['accuracy']:.4f} +- {j48['standard_error']:.4f} on the same folds"
    assert f"{shown} (trees of {j48['n_leaves']:.1f} leaves)" in lines
    assert any(line.startswith("majority     0.4059 +- ") for line in lines)
    assert any(line.startswith("CART         0.") for line in lines)
    without = evolved(*some, "--no-compare")
    assert without["compared"] is None
    assert without["cross_validation"] == found["cross_validation"]


def test_too_few_instances_for_the_usual_folds(tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("size,kind\n1,a\n2,b\n7,\n9,b\n4,?\n")
    assert evolved(str(file), *QUICK[:4])["cross_validation"]["folds"] == 3
    file.write_text("size,kind\n1,a\n2,b\n")
    assert evolved(str(file), *QUICK[:4])["cross_validation"]["folds"] == 2
    file.write_text("size,kind\n1,a\n")
    refused = gatree("evolve", str(file), *QUICK[:4], fails=True)
    assert isinstance(refused.exception, DataError)
    assert "'kind' is 'a' in all rows, so there is nothing to learn" in str(refused.exception)


def test_per_size():
    found = evolved("glass", *QUICK, "--per-size")
    rows = found["per_size"]
    sizes = [row["n_nodes"] for row in rows]
    assert sizes == sorted(set(sizes))
    assert [len(row["tree"]["nodes"]) for row in rows] == sizes
    chosen = next(row for row in rows if row["n_nodes"] == len(found["raw_tree"]["nodes"]))
    assert (chosen["accuracy"], chosen["payoff"]) == (found["accuracy"], found["payoff"])
    assert max(row["payoff"] for row in rows) == found["payoff"]
    assert "the best tree found of each size" in gatree("evolve", "glass", *QUICK, "--per-size").stdout


def test_no_generation_at_all():
    found = evolved("zoo", "--population", "50", "--generations", "0", "--per-size", "--folds", "2")
    assert (found["generations"], found["evaluations"], found["savings"]) == (0, 50, 0.0)
    assert [row["n_nodes"] for row in found["per_size"]] == [3]
    assert found["cross_validation"]["folds"] == 2


def test_every_setting_is_an_option():
    options = {option.name: option for option in evolve_command.params}
    for name, field in EvolutionSettings.model_fields.items():
        assert field.description.rstrip(".").lower() in options[name].help.lower()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_where_settings_start_from(preset):
    few = ["--population", "20", "--generations", "2", "--mutation-rate", "0.125", "--folds", "0"]
    given = {"population_size": 20, "n_generations": 2, "mutation_rate": 0.125}
    expected = settings_of(preset, given).model_dump(mode="json")
    assert evolved("zoo", "--preset", preset, *few)["settings"] == expected
    assert evolved("zoo", *few, "--preset", preset)["settings"] == expected
    if preset == "default":
        assert evolved("zoo", *few)["settings"] == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_the_help_shows_the_values_of_the_preset(preset):
    shown = " ".join(gatree("evolve", "--preset", preset, "--help").stdout.split())
    settings = settings_of(preset)
    assert f"Trees in the population. [default: {settings.population_size}; " in shown
    assert f"1e4..1e5. [default: {settings.x_factor}]" in shown
    if preset == "default":
        assert shown == " ".join(gatree("evolve", "--help").stdout.split())


def test_class_weights():
    assert evolved("zoo", *QUICK, "--class-weight", "balanced")["settings"]["class_weight"] == "balanced"
    weights = evolved("vote", *QUICK, "--class-weight", "democrat=2, republican=1")["settings"][
        "class_weight"
    ]
    assert weights == {"democrat": 2.0, "republican": 1.0}


@pytest.mark.parametrize(("word", "x"), [("small", "1e3"), ("accurate", "1e4..1e6")])
def test_prefer_sets_the_x_factor(word, x):
    assert evolved("zoo", *QUICK, "--prefer", word)["settings"]["x_factor"] == x


def test_preferring_accurate_trees_gives_larger_ones():
    sizes = {
        word: evolved("balance-scale", "--preset", "fast", "--prefer", word, "--folds", "0")["n_nodes"]
        for word in ("small", "accurate")
    }
    assert sizes["small"] < sizes["accurate"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zoo", "--populaton", "3"], "Did you mean"),
        (["zoo", "--population", "1"], "1 is not in the range 2<=x<="),
        (["zoo", "--mutation-rate", "1.5"], "1.5 is not in the range 0<=x<=1"),
        (["zoo", "--x-factor", "big"], "an x-factor is a number such as 1e4 or a range"),
        (["zoo", "--prefer", "small", "--x-factor", "1e4"], "give --prefer or --x-factor, not both"),
        (["zoo", "--picture", "tree.gif"], "'tree.gif' should end in one of .svg, .png, .pdf, .dot"),
        (["zoo", "--save", "nowhere/tree.json"], "there is no folder 'nowhere'"),
        (["zoo", "--folds", "1"], "should be 0, for none, or at least 2, got 1"),
        (["zoo", "--preset", "papre"], "'papre' is not one of 'default', 'fast', 'paper'"),
        (["zoo", "--class-weight", "equal"], "balanced, or a weight per class such as A=2,B=1, not"),
        (["zoo", "--class-weight", "bird=2,=1"], "should be balanced, or a weight per class"),
        ([], "Missing argument 'DATA'"),
    ],
)
def test_wrong_usage(arguments, message):
    result = gatree("evolve", *arguments, fails=True)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["zooo"], DataError, "did you mean 'zoo'"),
        (["zoo", "--folds", "102"], DataError, "cannot make 102 folds of 101 instances"),
        (["vote", "--class", "crim"], DataError, "did you mean 'crime'? (there are: handicapped-infants, "),
        (
            ["zoo", "--shift-share", "0.9"],
            ConfigError,
            "--prune-share, --shift-share: should be at most 1 together",
        ),
    ],
)
def test_bad_input(arguments, error, message):
    result = gatree("evolve", *arguments, fails=True)
    assert isinstance(result.exception, error | ConfigError)
    assert message in str(result.exception)


def test_an_unwritable_file_costs_no_tree(tmp_path):
    folder = tmp_path / "tree.svg"
    folder.mkdir()
    result = gatree("evolve", "zoo", "--picture", str(folder), fails=True)
    assert result.exit_code == 2
    assert "is a directory" in result.stderr


@pytest.mark.parametrize(
    ("name", "start"), [("tree.svg", b"<?xml"), ("tree.png", b"\x89PNG"), ("tree.dot", b"digraph")]
)
def test_pictures(tmp_path, name, start):
    gatree("evolve", "zoo", *QUICK, "--picture", str(tmp_path / name))
    assert (tmp_path / name).read_bytes().startswith(start)


def test_a_csv_file_with_a_target(tmp_path):
    file = tmp_path / "fruit.csv"
    file.write_text("kind,weight\n" + "apple,100\npear,180\n" * 20)
    found = evolved(str(file), "--target", "kind", *QUICK)
    assert (found["data"], found["accuracy"], found["n_nodes"]) == ("fruit", 1.0, 3)


def numbers(rows: int, columns: int, seed: int = 1) -> list[list[float]]:
    source = random.Random(seed)
    return [[source.random() for _ in range(columns)] for _ in range(rows)]


def test_numbers_between_0_and_1_have_thresholds(tmp_path):
    """Under `integer` they have none, and are named."""
    file = tmp_path / "shares.csv"
    file.write_text("one,two,kind\n" + "".join(f"{a},{b},{a > 0.4}\n" for a, b in numbers(60, 2)))
    result = gatree("evolve", str(file), *QUICK, "--json", "--quiet")
    assert (json.loads(result.stdout)["accuracy"], result.stderr) == (1.0, "")
    warned = gatree("evolve", str(file), *QUICK, "--quiet", "--numeric-tests", "integer").stderr
    assert warned.startswith("warning: one, two: no integer lies between the values")
    assert "--numeric-tests auto" in warned


@pytest.mark.parametrize("command", [["evolve", "--classification"], ["j48"], ["optimum", "--tests", "1"]])
def test_a_quantity_is_no_class(tmp_path, command):
    file = tmp_path / "prices.csv"
    file.write_text("size,rooms,price\n" + "".join(f"{a},{b},{c}\n" for a, b, c in numbers(60, 3)))
    error = gatree(*command, str(file), fails=True).exception
    assert isinstance(error, DataError)
    assert "'price' has 60 different numbers in 60 instances: a quantity" in str(error)
    assert "Name another attribute with --class (there are: size, rooms)" in str(error)


def test_hints_name_the_option(tmp_path):
    file = tmp_path / "times.csv"
    file.write_text("when,kind\n0,a\n99999999999,b\n")
    error = gatree("evolve", str(file), *QUICK, "--numeric-tests", "integer", fails=True).exception
    assert isinstance(error, DataError)
    assert "use --numeric-tests observed" in str(error)


def test_a_tree_is_shown_without_tests_that_never_matter(tmp_path):
    """Without generations, a first tree that says one class on both sides is found within a few seeds."""
    raw = ["evolve", "vote", "--preset", "paper", "--population", "2", "--generations", "0", "--folds", "0"]
    for seed in range(20):
        found = json.loads(gatree(*raw, "--seed", str(seed), "--json").stdout)
        if found["n_nodes"] == 1:
            break
    assert len(found["raw_tree"]["nodes"]) == 3
    assert len(found["tree"]["nodes"]) == 1
    chosen = [*raw, "--seed", str(seed), "--save", str(tmp_path / "tree.json")]
    shown = gatree(*chosen).stdout
    assert "1 node, 1 leaf, depth 0" in shown
    assert "3 nodes before simplification, see --raw" in shown
    assert DecisionTree.from_json((tmp_path / "tree.json").read_text()).n_nodes == 1
    assert "3 nodes" in gatree(*chosen, "--raw").stdout
    assert DecisionTree.from_json((tmp_path / "tree.json").read_text()).n_nodes == 3


@pytest.mark.parametrize("name", ["fruit.csv", "fruit.arff"])
def test_data_from_stdin(tmp_path, name):
    from gatree import read_csv, write_arff

    (tmp_path / "fruit.csv").write_text("weight,kind\n" + "100,apple\n180,pear\n" * 20)
    write_arff(read_csv(tmp_path / "fruit.csv"), tmp_path / "fruit.arff")
    content, tree = (tmp_path / name).read_bytes(), str(tmp_path / "tree.json")
    piped = CliRunner().invoke(cli, ["evolve", "-", *QUICK, "--save", tree], input=content)
    assert piped.exit_code == 0, piped.output
    assert (
        piped.stdout.splitlines()[:2]
        == gatree("evolve", str(tmp_path / name), *QUICK).stdout.splitlines()[:2]
    )
    predicted = CliRunner().invoke(cli, ["predict", tree, "-"], input=content)
    assert predicted.stdout == gatree("predict", tree, str(tmp_path / name)).stdout
    assert before_the_classes(predicted.stderr) == "40 of 40 correct (1.0000)"


# --- predict ----------------------------------------------------------------------------------------


@pytest.fixture
def tree_file(tmp_path) -> Path:
    gatree("evolve", "vote", *QUICK, "--save", str(tmp_path / "tree.json"))
    return tmp_path / "tree.json"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_are_those_of_the_tree(tree_file):
    data, result = load_dataset("vote"), gatree("predict", str(tree_file), "vote")
    rows = rows_of(result.stdout)
    predicted = DecisionTree.from_json(tree_file.read_text()).predict(data)
    assert [row["row"] for row in rows] == [str(number) for number in range(1, 436)]
    assert [row["predicted"] for row in rows] == [data.class_values[code] for code in predicted]
    assert [row["actual"] for row in rows] == [data.class_values[code] for code in data.classes]
    n_correct = sum(row["predicted"] == row["actual"] for row in rows)
    assert before_the_classes(result.stderr) == f"{n_correct} of 435 correct ({n_correct / 435:.4f})"


def test_predictions_for_data_without_the_class(tree_file, tmp_path):
    from gatree import write_arff

    unlabelled = load_dataset("vote").with_class("crime").drop("Class")
    write_arff(unlabelled, tmp_path / "new.arff")
    without = gatree("predict", str(tree_file), str(tmp_path / "new.arff"))
    assert without.stdout.startswith("row,predicted\n")
    assert without.stderr == ""
    with_class = rows_of(gatree("predict", str(tree_file), "vote").stdout)
    assert [row["predicted"] for row in rows_of(without.stdout)] == [row["predicted"] for row in with_class]


def test_predictions_for_booleans_that_are_written_as_0_and_1(tmp_path):
    flags = tmp_path / "flags.csv"
    flags.write_text("size,flag,kind\n" + "1,True,yes\n2,True,yes\n1,False,no\n2,False,no\n" * 10)
    gatree("evolve", str(flags), *QUICK, "--save", str(tmp_path / "tree.json"))
    flags.write_text("size,flag,kind\n1,1,yes\n1,0,no\n")
    labelled = gatree("predict", str(tmp_path / "tree.json"), str(flags))
    assert before_the_classes(labelled.stderr) == "2 of 2 correct (1.0000)"
    flags.write_text("size,flag\n1,1\n1,0\n")
    unlabelled = gatree("predict", str(tmp_path / "tree.json"), str(flags))
    assert unlabelled.stdout == "row,predicted\n1,yes\n2,no\n"


@pytest.mark.parametrize(
    ("learnt", "given"),
    [
        pytest.param(["1.0", "2.0", "other"], ["1.0", "2.0"], id="normalised for being all numbers"),
        pytest.param(["1", "2", "other"], ["1.00", "2.0", "other"], id="not normalised"),
        pytest.param(["False", "True"], ["0", "1"], id="booleans"),
    ],
)
def test_classes_of_the_data_are_called_as_the_tree_calls_them(tmp_path, learnt, given):
    data, tree = tmp_path / "sizes.csv", str(tmp_path / "tree.json")
    data.write_text("size,kind\n" + by_size(learnt) * 20)
    gatree("evolve", str(data), *QUICK, "--save", tree)
    data.write_text("size,kind\n" + by_size(given))
    result, n = gatree("predict", tree, str(data)), len(given)
    assert before_the_classes(result.stderr) == f"{n} of {n} correct (1.0000)"
    assert [row["actual"] for row in rows_of(result.stdout)] == learnt[:n]


def before_the_classes(stderr: str) -> str:
    """Return what `predict` says before its table by class, which must follow."""
    said, _, table = stderr.partition("\n\n")
    assert table.split()[:4] == ["TP", "Rate", "FP", "Rate"], stderr
    assert "<- classified as\n" in table
    return said


def by_size(classes: list[str]) -> str:
    return "".join(f"{size},{kind}\n" for size, kind in enumerate(classes))


def test_classes_that_the_tree_does_not_know_stay_as_they_are(tmp_path):
    data, tree = tmp_path / "sizes.csv", str(tmp_path / "tree.json")
    data.write_text("size,kind\n" + by_size(["1", "1.0", "other"]) * 20)
    gatree("evolve", str(data), *QUICK, "--save", tree)
    classes = ["1", "1.0", "other", "else", "7", ""]
    data.write_text("size,kind\n" + by_size(classes))
    result = gatree("predict", tree, str(data))
    assert [row["actual"] for row in rows_of(result.stdout)] == classes
    assert before_the_classes(result.stderr) == (
        "3 of 5 correct (0.6000)\n2 rows of classes that the tree does not know"
    )


def test_predictions_to_a_file(tree_file, tmp_path):
    output = tmp_path / "predictions.csv"
    assert gatree("predict", str(tree_file), "vote", "--output", str(output)).stdout == ""
    assert output.read_text() == gatree("predict", str(tree_file), "vote").stdout


@pytest.mark.parametrize(
    ("content", "message"), [("", "the file is empty"), ("{}", "not a tree file"), ("tree", "it is no JSON")]
)
def test_what_is_no_tree(tmp_path, content, message):
    (tmp_path / "tree.json").write_text(content)
    result = gatree("predict", str(tmp_path / "tree.json"), "vote", fails=True)
    assert isinstance(result.exception, DataError)
    assert message in str(result.exception)


def test_data_without_the_tree_s_attributes(tree_file):
    result = gatree("predict", str(tree_file), "zoo", fails=True)
    assert isinstance(result.exception, DataError)
    assert "zoo" in str(result.exception)


# --- the terminal -----------------------------------------------------------------------------------


def test_without_a_terminal_nothing_goes_to_stderr():
    assert gatree("evolve", "zoo", *QUICK, "--quiet").stderr == ""


@needs_a_terminal
def test_ctrl_c_keeps_the_best_tree(tmp_path):
    saved = tmp_path / "tree.json"
    command = ("evolve", "zoo", "--generations", "1000000", "--folds", "5", "--save", str(saved))
    code, seen, text = interrupted(*command, once="search, ", columns=40)
    assert code == 130
    assert "on the training data" in text
    assert "cross-validation" not in text
    assert DecisionTree.from_json(saved.read_text()).n_nodes >= 3
    assert "interrupted: this is the best tree so far" in seen
    assert "\x1b[3" not in seen  # no colour, since NO_COLOR is set


@pytest.mark.parametrize("weights", ["balanced", "mammal=5,bird=2.5"])
def test_the_measure_is_a_share_of_the_weight_where_classes_have_weights(weights):
    given = weights if weights == "balanced" else {"mammal": 5.0, "bird": 2.5}
    settings = QUICK_SETTINGS.model_copy(update={"class_weight": given})
    outcome = evolve(load_dataset("zoo"), settings)
    options = ("zoo", *QUICK, "--class-weight", weights, "--per-size")
    found = evolved(*options)
    assert found["measure"] == "weighted accuracy"
    assert found["weighted_accuracy"] == pytest.approx(outcome.accuracy)
    assert found["total_weight"] == outcome.total_weight
    tree = DecisionTree.from_json(json.dumps(found["tree"]))
    right = int(sum(tree.predict(load_dataset("zoo")) == load_dataset("zoo").classes))
    assert (found["n_correct"], found["accuracy"]) == (right, right / 101)
    if weights == "balanced":
        assert found["balanced_accuracy"] == pytest.approx(found["weighted_accuracy"], abs=1e-6)
    chosen = next(row for row in found["per_size"] if row["n_nodes"] == outcome.best.n_nodes)
    assert (chosen["accuracy"], chosen["payoff"]) == (outcome.accuracy, outcome.payoff)
    text = gatree("evolve", *options).stdout
    assert f"weighted accuracy {outcome.accuracy:.4f} on the training data ({right} of 101)" in text


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_evolution_and_the_best_tree_is_saved(tmp_path, monkeypatch, sent):
    """SIGTERM, as a batch system sends it, keeps what was found as Ctrl-C does."""
    watched = Watch.__call__

    def watch_and_interrupt(watch, evolution):
        if evolution.generation == 3:
            os.kill(os.getpid(), sent)
        return watched(watch, evolution)

    monkeypatch.setattr(Watch, "__call__", watch_and_interrupt)
    before, saved = signal.getsignal(sent), tmp_path / "tree.json"
    command = ("evolve", "zoo", "--generations", "1000000", "--folds", "0", "--save", str(saved))
    ended = gatree(*command, fails=True)
    assert ended.exit_code == 130
    assert "interrupted: this is the best tree so far" in ended.stderr
    assert DecisionTree.from_json(saved.read_text()).n_leaves >= 1
    assert signal.getsignal(sent) is before
