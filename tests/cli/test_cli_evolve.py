"""`gatree evolve`: options, output for people and programs, files, Ctrl-C."""

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
from gatree.cli.commands.evolve import _Interrupts as Interrupts
from gatree.cli.commands.evolve import evolve as evolve_command
from gatree.evolution.evolve import evolve
from gatree.settings.evolution_settings import EvolutionSettings
from gatree.settings.gone import GONE

QUICK = ["--population", "30", "--generations", "20", "--mutation-rate", "0.5"]
GIVEN = {"population_size": 30, "n_generations": 20, "mutation_rate": 0.5, "numeric_tests": "auto"}
QUICK_SETTINGS = EvolutionSettings.preset("paper", GIVEN)


def test_json_has_the_numbers_of_the_evolution():
    found, outcome = printed("evolve", "zoo", *QUICK), evolve(load_dataset("zoo"), QUICK_SETTINGS)
    assert found["accuracy"] == outcome.accuracy
    assert len(found["raw_tree"]["nodes"]) == outcome.best.n_nodes
    assert found["payoff"] == outcome.payoff
    assert found["savings"] == outcome.ledger.instances_saved
    assert found["evaluations"] == outcome.n_evaluations
    assert found["seconds"] > 0
    assert found["interrupted"] is False
    assert found["settings"] == QUICK_SETTINGS.model_dump(mode="json")
    tree = DecisionTree.from_json(json.dumps(found["tree"]))
    assert tree.counts is not None
    leaves = [node for node in range(tree.n_nodes) if tree.tree.is_leaf(node)]
    assert sum(tree.counts[node, tree.tree.value[node]] for node in leaves) == outcome.n_correct


def test_text_has_the_numbers_of_the_evolution_and_points_to_small_trees():
    text, outcome = run("evolve", "zoo", *QUICK).stdout, evolve(load_dataset("zoo"), QUICK_SETTINGS)
    assert f"payoff       {outcome.payoff:.4f}\n" in text
    assert f"accuracy     {outcome.accuracy:.4f} on the training data ({outcome.n_correct} of 101)\n" in text
    assert f"size         {outcome.tree.simplified().n_nodes} nodes" in text
    assert "x-factor     1e3..1e4 in 20 steps\n" in text
    assert f"saved        {outcome.ledger.instances_saved:.1%} of the instances" in text
    assert f"evaluations  {outcome.n_evaluations} in " in text
    assert text.splitlines()[-1] == "see also     gatree tree zoo: a tree whose size the data choose"


@pytest.mark.parametrize(
    ("options", "schedule"),
    [
        (["--x-factor", "1e4..1e6"], "1e3..1e6 in 20 steps"),
        (["--x-factor", "1e3"], "1e3"),
        (["--x-start", "500", "--x-steps", "0"], "500..1e4"),
    ],
)
def test_the_schedule_of_x_is_shown_as_it_is(options, schedule):
    assert printed("evolve", "zoo", *QUICK, *options)["x_factor"] == schedule


def test_no_generation_at_all():
    found = printed("evolve", "zoo", "--population", "50", "--generations", "0")
    assert (found["generations"], found["evaluations"], found["savings"]) == (0, 50, 0.0)


def test_every_setting_is_an_option():
    options = {option.name: option for option in evolve_command.params}
    for name, field in EvolutionSettings.model_fields.items():
        assert field.description.rstrip(".").lower() in options[name].help.lower()


def test_the_settings_start_from_the_papers_and_the_help_shows_them():
    few = ["--population", "20", "--generations", "2", "--mutation-rate", "0.125"]
    given = {"population_size": 20, "n_generations": 2, "mutation_rate": 0.125, "numeric_tests": "auto"}
    assert printed("evolve", "zoo", *few)["settings"] == EvolutionSettings.preset("paper", given).model_dump(
        mode="json"
    )
    shown = " ".join(run("evolve", "--help").stdout.split())
    assert "Offspring per generation, as a share of the population. [default: 0.5;" in shown
    assert len(evolve_command.params) <= 46


def options_of_before() -> list[tuple[str, str]]:
    return [
        ("--preset", "paper"), ("--leaves", "8"), ("--size-rule", "min"), ("--first", "milk"),
        ("--effort", "2"), ("--class-weight", "balanced"), ("--costs", "costs.csv"), ("--prefer", "small"),
        ("--folds", "3"), ("--per-size", ""), ("--details", ""), ("--regression", ""), ("--size", "leaves"),
    ]  # fmt: skip


@pytest.mark.parametrize(("option", "value"), options_of_before())
def test_an_option_that_has_gone_says_what_to_use(option, value):
    result = run("evolve", "zoo", *filter(None, (option, value)), code=2)
    line = result.stderr.splitlines()[-1]
    assert line.startswith(f"Error: {option}: ")
    assert line.endswith(GONE[option[2:].replace("-", "_")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zoo", "--populaton", "3"], "Did you mean"),
        (["zoo", "--population", "1"], "1 is not in the range 2<=x<="),
        (["zoo", "--mutation-rate", "1.5"], "1.5 is not in the range 0<=x<=1"),
        (["zoo", "--x-factor", "big"], "an x-factor is a number such as 1e4 or a range"),
        (["zoo", "--picture", "tree.gif"], "'tree.gif' should end in one of .svg, .png, .pdf, .dot"),
        (["zoo", "--save", "nowhere/tree.json"], "there is no folder 'nowhere'"),
        ([], "Missing argument 'DATA'"),
        (["zoo", "--class", "legs"], "legs has numbers to predict, and an evolution predicts classes"),
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
    result = run("evolve", str(file), *QUICK, "--population", "200", "--json", "--quiet")
    assert (json.loads(result.stdout)["accuracy"], result.stderr) == (1.0, "")
    warned = run("evolve", str(file), *QUICK, "--quiet", "--numeric-tests", "integer").stderr
    assert warned.startswith("warning: one, two: no integer lies between the values")
    assert "--numeric-tests auto" in warned
    file.write_text("when,kind\n0,a\n99999999999,b\n")
    error = run("evolve", str(file), *QUICK, "--numeric-tests", "integer", code=None).exception
    assert isinstance(error, ConfigError)
    assert str(error).startswith("--numeric-tests: 'when' goes from 0 to 1e+11: too many integers")


@pytest.mark.parametrize("command", [["tree", "--classification"], ["j48"], ["optimum", "--tests", "1"]])
def test_a_quantity_is_no_class(tmp_path, command):
    file = tmp_path / "prices.csv"
    file.write_text("size,rooms,price\n" + "".join(f"{a},{b},{c}\n" for a, b, c in numbers(60, 3)))
    error = run(*command, file, code=1).exception
    assert isinstance(error, DataError)
    assert "'price' has 60 different numbers in 60 instances: a quantity" in str(error)
    assert "Name another attribute with --class (there are: size, rooms)" in str(error)


def test_a_tree_is_shown_without_tests_that_never_matter(tmp_path):
    """Without generations, a first tree that says one class on both sides is found within a few seeds."""
    raw = ["evolve", "vote", "--population", "2", "--generations", "0"]
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
    command = ("evolve", "zoo", "--generations", "1000000", "--save", str(saved))
    code, seen, text = interrupted(*command, once="evolution, ", columns=40)
    assert code == 130
    assert "on the training data" in text
    assert DecisionTree.from_json(saved.read_text()).n_nodes >= 3
    assert "interrupted: this is the best tree so far" in seen
    assert "\x1b[3" not in seen  # no colour, since NO_COLOR is set


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_evolution_and_the_best_tree_is_saved(tmp_path, monkeypatch, sent):
    """SIGTERM, as a batch system sends it, keeps what was found as Ctrl-C does."""
    watched = Interrupts.__call__

    def watch_and_interrupt(watch, evolution):
        if evolution.generation == 3:
            os.kill(os.getpid(), sent)
        return watched(watch, evolution)

    monkeypatch.setattr(Interrupts, "__call__", watch_and_interrupt)
    before, saved = signal.getsignal(sent), tmp_path / "tree.json"
    command = ("evolve", "zoo", "--generations", "1000000", "--save", str(saved))
    ended = run(*command, code=130)
    assert "interrupted: this is the best tree so far" in ended.stderr
    assert DecisionTree.from_json(saved.read_text()).n_leaves >= 1
    assert signal.getsignal(sent) is before


@pytest.mark.long
def test_a_killed_evolution_leaves_a_whole_file_or_none(tmp_path):
    chance, saved, expected = random.Random(2006), tmp_path / "tree.json", tmp_path / "expected" / "tree.json"
    expected.parent.mkdir()

    def start(path):
        command = [sys.executable, "-m", "gatree", "evolve", "zoo", "--generations", "3000"]
        return subprocess.Popen([*command, "--save", str(path)], stdout=subprocess.DEVNULL)

    started = time.monotonic()
    assert start(expected).wait(300) == 0
    seconds, n_killed = time.monotonic() - started, 0
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
