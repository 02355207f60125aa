"""`gatree evolve`, one evolution: options, output for people and programs, files, Ctrl-C."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from commands import printed, run
from terminals import interrupted, needs_a_terminal

from gatree import DecisionTree, load_dataset
from gatree.base.errors import ConfigError, DataError
from gatree.cli.evolve import evolve as evolve_command
from gatree.cli.evolve_once import Watch
from gatree.evolution.evolve import evolve
from gatree.evolution.folds import Fold, fold_rows
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.presets import PRESETS, settings_of

QUICK = ["--population", "30", "--generations", "20", "--folds", "0"]
LEGS = ["zoo", "--class", "legs", "--regression"]
QUICK_SETTINGS = settings_of("default", {"population_size": 30, "n_generations": 20})


def test_json_has_the_numbers_of_the_evolution():
    found, outcome = printed("evolve", "zoo", *QUICK), evolve(load_dataset("zoo"), QUICK_SETTINGS)
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
    leaves = [node for node in range(tree.n_nodes) if tree.tree.is_leaf(node)]
    assert sum(tree.counts[node, tree.tree.value[node]] for node in leaves) == outcome.n_correct


def test_text_and_json_have_the_tree_its_folds_and_other_methods():
    some, data = ("zoo", *QUICK[:4], "--folds", "3"), load_dataset("zoo")
    text, found = run("evolve", *some).stdout, printed("evolve", *some)
    outcome = evolve(data, QUICK_SETTINGS)
    folds = [Fold.of(data, rows, QUICK_SETTINGS.numeric_tests) for rows in fold_rows(data.classes, 3)]
    of_folds = [evolve(fold.problem, QUICK_SETTINGS) for fold in folds]
    n_correct = sum(fold.test_correct(one.best) for fold, one in zip(folds, of_folds, strict=True))
    assert f"accuracy     {outcome.accuracy:.4f} on the training data ({outcome.n_correct} of 101)" in text
    assert f"size         {outcome.best.n_nodes} nodes, {outcome.best.n_leaves} leaves" in text
    assert "accuracy in cross-validation (3 folds)" in text
    assert text.count(": ") >= outcome.best.n_leaves  # each leaf's branch ends in its class
    crossed, compared = found["cross_validation"], found["compared"]
    assert crossed["accuracy"] == n_correct / 101
    assert crossed["n_leaves"] == sum(one.tree.simplified().n_leaves for one in of_folds) / 3
    j48 = compared["J48"]
    alone = printed("j48", "zoo", "--folds", "3")
    assert j48["accuracy"] == alone["cv_correct"] / 101
    assert (compared["majority"]["accuracy"], compared["majority"]["n_leaves"]) == (41 / 101, 1.0)
    shown = f"J48          {j48['accuracy']:.4f} +- {j48['standard_error']:.4f} on the same folds"
    lines = text.splitlines()
    assert f"{shown} (trees of {j48['n_leaves']:.1f} leaves)" in lines
    assert any(line.startswith("majority     0.4059 +- ") for line in lines)
    assert any(line.startswith("CART         0.") for line in lines)
    without = printed("evolve", *some, "--no-compare")
    assert (without["compared"], without["cross_validation"]) == (None, crossed)


def test_per_size():
    found = printed("evolve", "zoo", *QUICK, "--per-size")
    rows = found["per_size"]
    sizes = [row["n_nodes"] for row in rows]
    assert sizes == sorted(set(sizes))
    assert [len(row["tree"]["nodes"]) for row in rows] == sizes
    chosen = next(row for row in rows if row["n_nodes"] == len(found["raw_tree"]["nodes"]))
    assert (chosen["accuracy"], chosen["payoff"]) == (found["accuracy"], found["payoff"])
    assert max(row["payoff"] for row in rows) == found["payoff"]
    assert "the best tree found of each size" in run("evolve", "zoo", *QUICK, "--per-size").stdout


def test_no_generation_at_all():
    found = printed("evolve", "zoo", "--population", "50", "--generations", "0", "--per-size", "--folds", "2")
    assert (found["generations"], found["evaluations"], found["savings"]) == (0, 50, 0.0)
    assert [row["n_nodes"] for row in found["per_size"]] == [3]
    assert found["cross_validation"]["folds"] == 2


def test_every_setting_is_an_option():
    options = {option.name: option for option in evolve_command.params}
    for name, field in EvolutionSettings.model_fields.items():
        assert field.description.rstrip(".").lower() in options[name].help.lower()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_where_settings_start_from_and_the_help_shows_them(preset):
    few = ["--population", "20", "--generations", "2", "--mutation-rate", "0.125", "--folds", "0"]
    given = {"population_size": 20, "n_generations": 2, "mutation_rate": 0.125}
    expected = settings_of(preset, given).model_dump(mode="json")
    assert printed("evolve", "zoo", *few, "--preset", preset)["settings"] == expected
    shown = " ".join(run("evolve", "--preset", preset, "--help").stdout.split())
    settings = settings_of(preset)
    assert f"Trees in the population. [default: {settings.population_size}; " in shown
    assert f"1e4..1e5. [default: {settings.x_factor}]" in shown
    if preset == "default":
        assert printed("evolve", "zoo", *few)["settings"] == expected
        assert shown == " ".join(run("evolve", "--help").stdout.split())


@pytest.mark.parametrize(("word", "x"), [("small", "1e3"), ("accurate", "1e4..1e6")])
def test_prefer_sets_the_x_factor(word, x):
    assert printed("evolve", "zoo", *QUICK, "--prefer", word)["settings"]["x_factor"] == x


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
        (["zoo", "--leaves", "0"], "0 is not in the range x>=1"),
        (["zoo", "--leaves", "few"], "'few' is not a valid integer range. Or give auto or penalty."),
        (["zoo", "--leaves", "auto", "--generations", "5"], "--generations is for the genetic algorithm"),
        (["zoo", "--leaves", "auto", "--prefer", "small"], "--prefer is for the genetic algorithm"),
        (["zoo", "--leaves", "auto", "--preset", "paper"], "--leaves auto goes with --preset default or"),
        (["zoo", "--leaves", "penalty", "--first", "milk"], "--first is for trees of all sizes"),
        ([*LEGS, "--class-weight", "balanced"], "--class-weight"),
        ([*LEGS, "--x-factor", "5"], "or --regression"),
        (["zoo", "--details", "--folds", "0"], "--details"),
    ],
)
def test_wrong_usage(arguments, message):
    result = run("evolve", *arguments, code=None)
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
    result = run("evolve", *arguments, code=None)
    assert isinstance(result.exception, error | ConfigError)
    assert message in str(result.exception)


def test_pictures(tmp_path):
    for name, start in (("tree.png", b"\x89PNG"), ("tree.dot", b"digraph")):
        run("evolve", "zoo", *QUICK, "--picture", str(tmp_path / name))
        assert (tmp_path / name).read_bytes().startswith(start)
    (tmp_path / "tree.svg").mkdir()
    result = run("evolve", "zoo", "--picture", str(tmp_path / "tree.svg"), code=None)
    assert result.exit_code == 2, "it costs no tree"
    assert "is a directory" in result.stderr


def numbers(rows: int, columns: int, seed: int = 1) -> list[list[float]]:
    source = random.Random(seed)
    return [[source.random() for _ in range(columns)] for _ in range(rows)]


def test_numbers_between_0_and_1_have_thresholds(tmp_path):
    """Under `integer` they have none, and are named."""
    file = tmp_path / "shares.csv"
    file.write_text("one,two,kind\n" + "".join(f"{a},{b},{a > 0.4}\n" for a, b in numbers(60, 2)))
    result = run("evolve", str(file), *QUICK, "--json", "--quiet")
    assert (json.loads(result.stdout)["accuracy"], result.stderr) == (1.0, "")
    warned = run("evolve", str(file), *QUICK, "--quiet", "--numeric-tests", "integer").stderr
    assert warned.startswith("warning: one, two: no integer lies between the values")
    assert "--numeric-tests auto" in warned
    file.write_text("when,kind\n0,a\n99999999999,b\n")
    error = run("evolve", str(file), *QUICK, "--numeric-tests", "integer", code=None).exception
    assert isinstance(error, DataError)
    assert "use --numeric-tests observed" in str(error)


@pytest.mark.parametrize("command", [["evolve", "--classification"], ["j48"], ["optimum", "--tests", "1"]])
def test_a_quantity_is_no_class(tmp_path, command):
    file = tmp_path / "prices.csv"
    file.write_text("size,rooms,price\n" + "".join(f"{a},{b},{c}\n" for a, b, c in numbers(60, 3)))
    error = run(*command, file, code=1).exception
    assert isinstance(error, DataError)
    assert "'price' has 60 different numbers in 60 instances: a quantity" in str(error)
    assert "Name another attribute with --class (there are: size, rooms)" in str(error)


def test_a_tree_is_shown_without_tests_that_never_matter(tmp_path):
    """Without generations, a first tree that says one class on both sides is found within a few seeds."""
    raw = ["evolve", "vote", "--preset", "paper", "--population", "2", "--generations", "0", "--folds", "0"]
    for seed in range(20):
        found = printed(*raw, "--seed", seed)
        if found["n_nodes"] == 1:
            break
    assert len(found["raw_tree"]["nodes"]) == 3
    assert len(found["tree"]["nodes"]) == 1
    chosen = [*raw, "--seed", str(seed), "--save", str(tmp_path / "tree.json")]
    shown = run(*chosen).stdout
    assert "1 node, 1 leaf, depth 0" in shown
    assert "3 nodes before simplification, see --raw" in shown
    assert DecisionTree.from_json((tmp_path / "tree.json").read_text()).n_nodes == 1
    assert "3 nodes" in run(*chosen, "--raw").stdout
    assert DecisionTree.from_json((tmp_path / "tree.json").read_text()).n_nodes == 3


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
    found = printed("evolve", *options)
    assert found["settings"]["class_weight"] == given
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
    text = run("evolve", *options).stdout
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
    ended = run(*command, code=130)
    assert "interrupted: this is the best tree so far" in ended.stderr
    assert DecisionTree.from_json(saved.read_text()).n_leaves >= 1
    assert signal.getsignal(sent) is before


@pytest.mark.long
@pytest.mark.parametrize("way", [("--folds", "0"), ("--folds", "3"), ("--generations", "60", "--folds", "0")])
def test_a_killed_evolution_leaves_a_whole_file_or_none(tmp_path, way):
    chance, saved, expected = random.Random(2006), tmp_path / "tree.json", tmp_path / "expected" / "tree.json"
    expected.parent.mkdir()

    def start(path):
        command = [sys.executable, "-m", "gatree", "evolve", "zoo", "--preset", "fast", *way]
        return subprocess.Popen([*command, "--save", str(path)], stdout=subprocess.DEVNULL)

    begun = time.monotonic()
    assert start(expected).wait(300) == 0
    seconds, n_killed = time.monotonic() - begun, 0
    for _ in range(20):
        saved.unlink(missing_ok=True)
        process = start(saved)
        time.sleep(chance.uniform(0.3, 1.1) * seconds)
        process.kill()
        n_killed += process.wait(300) == -signal.SIGKILL
        assert not saved.exists() or saved.read_bytes() == expected.read_bytes()
    assert n_killed >= 5, "all were too late"
    assert start(saved).wait(300) == 0
    assert saved.read_bytes() == expected.read_bytes()
