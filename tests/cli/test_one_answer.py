"""What `tree` prints, its JSON, the page and the classifier say the same, digit by digit, of one tree."""

import json
import re
import resource
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import printed, run

from gatree import (
    Dataset,
    DecisionTree,
    SmallTreeClassifier,
    SmallTreeRegressor,
    load_data,
    load_dataset,
    write_arff,
)
from gatree.base.progress import SILENT, Progress
from gatree.data.catalog import dataset_names
from gatree.learners.comparison import baselines
from gatree.learners.cross_validation import Folds
from gatree.learners.measures import measure_of
from gatree.learners.registry import LEARNERS
from gatree.settings.small_tree import SmallTreeSettings
from gatree.study.finding import Request, compare, find, validate
from gatree.study.text import baseline_line

QUICK = ["--effort", "0.1", "--folds", "2", "--seed", "2"]


def page_of(tmp_path, *arguments):
    """Return the content of the page that `gatree explore` writes."""
    run("explore", *arguments, "--output", str(tmp_path / "page.html"), "--quiet")
    text = (tmp_path / "page.html").read_text()
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture
def houses(tmp_path):
    rng = np.random.default_rng(1)
    area, year = rng.integers(40, 200, 60), rng.integers(1950, 2020, 60)
    price = 2000 * area + 900 * (year > 1990) * area + rng.normal(0, 9000, 60)
    frame = pd.DataFrame({"area": area, "year": year, "price": price.round()})
    frame.to_csv(tmp_path / "houses.csv", index=False)
    return str(tmp_path / "houses.csv")


SHIPPED = [name if name == "zoo" else pytest.param(name, marks=pytest.mark.long) for name in dataset_names()]


@pytest.mark.parametrize("name", [*SHIPPED, "houses"])
def test_two_doors_say_the_same(name, houses, tmp_path):
    data = houses if name == "houses" else name
    text = run("tree", data, *QUICK, "--quiet").stdout
    found = printed("tree", data, *QUICK, "--quiet")
    page = page_of(tmp_path, data, *QUICK)
    chosen, crossed = page["sizes"][page["chosen"]], page["procedure"]
    measure = "r2" if name == "houses" else "accuracy"
    assert chosen["leaves"] == found["n_leaves"]
    assert chosen["train"] == found[measure]
    assert crossed["worth"] == pytest.approx(found["cross_validation"][measure], abs=1e-12)
    assert crossed["error"] == found["cross_validation"]["standard_error"]
    assert crossed["leaves"] == found["cross_validation"]["leaves_of_folds"]
    this_size = page["judged"][page["chosen"]]["worth"]
    assert this_size == pytest.approx(found["cross_validation"]["this_size"][measure], abs=1e-12)
    assert f"{found[measure]:.4f} on the training data" in text
    assert f"{crossed['worth']:.4f} +- {crossed['error']:.4f} the whole procedure" in text
    assert f"{this_size:.4f} +- " in text
    assert page["summary"] == found["summary"]
    for rival in page["rivals"]:
        if "worth" in rival:
            assert rival["worth"] == pytest.approx(found["compared"][rival["name"]][measure], abs=1e-12)
            shown = f"{rival['name']:<12} {rival['worth']:.4f} +- {rival['error']:.4f} {rival.get('tried')}"
            assert shown in text
    assert len(page["rivals"]) == (3 if name == "houses" else 4)
    assert page["rivals"][0]["worth"] == crossed["worth"]


def test_a_verbose_classifier_shows_its_progress(capsys):
    X, y = load_dataset("zoo", as_frame=True)
    SmallTreeClassifier(effort=0.1, random_state=2, verbose=1).fit(X, y)
    assert re.search(r"^search: \d+\.\d s$", capsys.readouterr().err, re.MULTILINE)
    SmallTreeClassifier(effort=0.1, random_state=2).fit(X, y)
    assert capsys.readouterr().err == ""


def test_weights_and_costs_in_both_doors(tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text(
        ",recurrence-events,no-recurrence-events\nno-recurrence-events,1,0\nrecurrence-events,0,5\n"
    )
    quick = ["breast", *QUICK, "--no-compare"]
    plain = run("tree", *quick, "--quiet").stdout
    assert "balanced     " in plain  # 70 % are of one class
    weighted = run("tree", *quick, "--quiet", "--folds", "0", "--class-weight", "balanced").stdout
    assert "weighted accuracy" in weighted
    if "proven" in weighted:
        assert "none gets more of the training data right, by the weights of the classes" in weighted
    cheap = printed("tree", *quick, "--costs", costs)
    assert cheap["measure"] == "saved costs"
    missed = cheap["cross_validation"]["by_class"]["recurrence-events"]["recall"]
    assert missed > float(re.search(r"recurrence-events: recall (\d\.\d+)", plain)[1])
    page = page_of(tmp_path, *quick, "--costs", str(costs))
    assert page["measure"] == "saved costs"
    assert page["sizes"][page["chosen"]]["train"] == cheap["saved_costs"]
    assert page["gains"] == [[5.0, 0.0], [0.0, 1.0]] or page["gains"] == [[1.0, 0.0], [0.0, 5.0]]
    for command in ("explore", "tree"):
        both = ("--costs", str(costs), "--class-weight", "balanced")
        assert "give --class-weight or --costs" in run(command, "breast", *both, code=2).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a\na,1\n", "no class 'a'"),
        (",democrat,republican\ndemocrat,0,1\n", "a row and a column per class are needed"),
        (
            ",democrat,republican\ndemocrat,0,x\nrepublican,1,0\n",
            "should be a number from 0 to 1e+12, got 'x'",
        ),
        (
            ",democrat,republican\ndemocrat,0,-1\nrepublican,1,0\n",
            "the cost of 'republican' for 'democrat' should be a number from 0 to 1e+12, got '-1'",
        ),
    ],
)
def test_costs_that_are_none(text, message, tmp_path):
    (tmp_path / "costs.csv").write_text(text)
    result = run("tree", "vote", "--costs", str(tmp_path / "costs.csv"), code=1)
    assert message in str(result.exception)


def test_a_large_tree_is_cut_and_says_so():
    large = ("tree", "balance-scale", "--effort", "0.1", "--leaves", "60", "--folds", "0", "--quiet")
    short, whole = run(*large).stdout, run(*large, "--all").stdout
    tree = short.partition("\n\n")[0].splitlines()
    assert len(tree) <= 41
    n_hidden = int(re.fullmatch(r"\.\.\. (\d+) more leaves: --all, --picture FILE", tree[-1])[1])
    shown = sum(": " in line for line in tree[:-1])
    assert shown + n_hidden == 60
    hidden = sum(int(n) for n in re.findall(r" \.\.\. (\d+) lea", "\n".join(tree[:-1])))
    assert hidden == n_hidden
    assert sum(": " in line for line in whole.partition("\n\n")[0].splitlines()) == 60


def test_extreme_targets_and_features_end_no_command(tmp_path):
    frame = pd.DataFrame({"a": np.arange(40.0) % 7, "y": (np.arange(40.0) % 7) * 1e149})
    frame.to_csv(tmp_path / "far.csv", index=False)
    far = [str(tmp_path / "far.csv"), *QUICK]
    found = printed("tree", *far, "--regression")
    assert found["compared"]["CART"]["r2"] > 0.9
    frame["y"] *= 10
    frame.to_csv(tmp_path / "far.csv", index=False)
    result = run("tree", *far, "--regression", code=1)
    assert "has numbers up to 6e+150, whose squares" in str(result.exception)
    frame = pd.DataFrame({"a": np.arange(40.0) % 7 * 1e300, "y": ["no", "yes"] * 20})
    frame.to_csv(tmp_path / "far.csv", index=False)
    found = printed("tree", *far)
    assert "CART cannot compute with numbers above 1e+30" in found["compared"]["CART"]["left_out"]


def test_a_comparison_that_takes_too_many_steps_is_left_out():
    """A category with thousands of values, on which J48 would work for minutes."""
    rng, n = np.random.default_rng(2), 8_000
    planes = [f"N{i}" for i in rng.integers(0, 3_000, n)]
    dataset = Dataset.from_frame(pd.DataFrame({"plane": planes, "late": rng.choice(["yes", "no"], n)}))
    found = {each.name: each for each in baselines(measure_of(dataset), Folds(2), 1e5, SILENT)}
    assert found["majority"].judged is not None
    assert re.fullmatch(r"J48 takes more than [\d,]+ steps on these data", found["J48"].why_not)
    assert re.match(r"CART would read about [\d,]+ cells", found["CART"].why_not)
    assert baseline_line(found["J48"]) == ("J48", f"left out: {found['J48'].why_not}")


def test_others_are_tried_on_one_fold_or_left_out_to_read_few_cells(monkeypatch):
    rng, n = np.random.default_rng(2), 400
    frame = pd.DataFrame(rng.normal(size=(n, 3)).round(1), columns=["a", "b", "c"])
    dataset = Dataset.from_frame(frame.assign(y=np.where(frame.a > 0, "yes", "no")))
    finding = validate(find(dataset, Request(SmallTreeSettings(effort=0.001), n_folds=4)))
    assert compare(finding).baselines[0].judged == finding.crossed.procedure

    per_fold = sum(LEARNERS[name].cells_read(dataset, 300) for name in ("j48", "cart"))
    monkeypatch.setattr("gatree.learners.comparison.MOST_CELLS_READ", per_fold)
    ours, *others = compare(finding).baselines
    assert "one of 4 folds held out" in ours.tried_on
    assert [each.judged.n for each in (ours, *others)] == [100] * 4
    first = slice(0, 100)
    assert ours.judged.n_correct == np.count_nonzero(
        finding.crossed.predicted.given[first] == dataset.classes[finding.crossed.predicted.rows[first]]
    )

    monkeypatch.setattr("gatree.learners.comparison.MOST_CELLS_READ", per_fold // 2)
    *_, cart = compare(finding).baselines
    assert re.fullmatch(r"CART would read about [\d,]+ cells, and the limit is [\d,]+", cart.why_not)


def test_a_column_that_gives_the_class_is_named(tmp_path):
    lines = ["a,b,y"] + [f"{i % 7},{'xy'[i % 2]},{['no', 'yes'][i % 2]}" for i in range(60)]
    (tmp_path / "leak.csv").write_text("\n".join(lines))
    result = run("tree", str(tmp_path / "leak.csv"), *QUICK, "--no-compare")
    assert "note: 'b' alone gives the class of all rows" in result.stderr


def test_progress_says_what_runs_how_far_it_is_and_how_long_it_takes(capsys):
    progress = Progress("reading", quiet=True)
    assert progress.state == "reading (0 s)"
    progress.progress("search", 1, 4)
    progress._since -= 10
    assert progress.state == "search, 25% done, about 30 s left (0 s)"
    assert progress.bar == "[#####---------------] "
    with Progress("search", always=True) as shown:
        shown.progress("search", 4, 4)
    assert re.fullmatch(r"search: 0\.\d s\n", capsys.readouterr().err)


SOON = ("anneal", "glass", "zoo")  # of every kind; the others are long tests


def on_the_command_line(path: Path, *options: str) -> str:
    """Return the tree that `gatree tree` finds, as text."""
    found = printed("tree", path, "--effort", "0.1", "--seed", "0", "--folds", "0", "--quiet", *options)
    tree = DecisionTree.from_json(json.dumps(found["tree"]))
    return tree.to_text().lower()  # pandas reads "true" as True


def in_python(X: pd.DataFrame, y: pd.Series, **parameters) -> str:
    return SmallTreeClassifier(effort=0.1, random_state=0, **parameters).fit(X, y).tree_.to_text().lower()


def as_csv(dataset: Dataset, path: Path) -> pd.DataFrame:
    """Write a data set's rows in a random order, the class last; return what pandas reads."""
    frame = dataset.to_frame().sample(frac=1, random_state=0)
    frame.insert(
        len(frame.columns) - 1, dataset.class_attribute.name, frame.pop(dataset.class_attribute.name)
    )
    frame.to_csv(path, index=False)
    return pd.read_csv(path, na_values="?")


@pytest.mark.parametrize(
    "name",
    [
        name if name in SOON else pytest.param(name, marks=pytest.mark.long)
        for name in dataset_names()
        if name != "kr-vs-kp"
    ],
)
def test_a_csv_file(name, tmp_path):
    dataset, path = load_dataset(name), tmp_path / "data.csv"
    dataset = dataset.drop("animal") if name == "zoo" else dataset  # an identifier, which is left out
    frame = as_csv(dataset, path)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].astype(str)
    chosen = on_the_command_line(path)
    assert chosen == in_python(X, y)
    assert chosen == in_python(X.sample(frac=1, random_state=1), y.sample(frac=1, random_state=1))
    if name == "anneal":
        return
    assert on_the_command_line(path, "--leaves", "6") == in_python(X, y, size=6)
    assert on_the_command_line(path, "--max-leaves", "4") == in_python(X, y, max_leaf_nodes=4)
    assert on_the_command_line(path, "--class-weight", "balanced") == in_python(X, y, class_weight="balanced")
    write_arff(dataset, path.with_suffix(".arff"))
    frame = load_data(path.with_suffix(".arff")).to_frame()
    y = frame.pop(dataset.class_attribute.name)
    assert on_the_command_line(path.with_suffix(".arff")) == in_python(frame, y.astype(str))


def test_a_table_gives_the_same_tree_in_every_format_and_by_every_door(houses, tmp_path):
    """CSV, Parquet and Excel; command, page and class; for classes and for numbers."""
    frame = pd.read_csv(houses).assign(place=np.where(np.arange(60) % 3 == 1, "town", "coast"))
    files = [tmp_path / f"data{ending}" for ending in (".csv", ".parquet", ".xlsx")]
    frame.to_csv(files[0], index=False)
    frame.to_parquet(files[1])
    frame.to_excel(files[2], index=False)
    little = ["--effort", "0.1", "--folds", "0", "--quiet"]
    for target, make in (("place", SmallTreeClassifier), ("price", SmallTreeRegressor)):
        options = [*little, "--class", target, *["--regression"] * (target == "price")]
        trees = [printed("tree", file, *options)["tree"] for file in files]
        assert trees[0] == trees[1] == trees[2]
        fitted = make(effort=0.1, random_state=0).fit(frame.drop(columns=target), frame[target])
        found = DecisionTree.from_json(json.dumps(trees[0]))
        assert fitted.tree_.to_text(show_counts=False) == found.to_text(show_counts=False)
        page = page_of(tmp_path, str(files[1]), *options)
        shown = page["trees"][page["chosen"]]
        assert shown["attribute"] == found.tree.attribute.tolist()


def test_booleans_and_numbers_as_classes(tmp_path):
    path = tmp_path / "data.csv"
    frame = pd.DataFrame({"flag": [True, False, True, True] * 15, "size": range(60)})
    frame["class"] = [
        10 if flag else 9 if size < 30 else 2 for flag, size in zip(frame["flag"], frame["size"], strict=True)
    ]
    frame.sample(frac=1, random_state=2).to_csv(path, index=False)
    assert on_the_command_line(path, "--keep", "size") == in_python(frame[["flag", "size"]], frame["class"])


@pytest.mark.long
@pytest.mark.parametrize("command", ["explore", "tree"])
def test_very_many_columns(command, tmp_path):
    rng, n_columns = np.random.default_rng(0), 20_000
    values = rng.integers(0, 10, (60, n_columns))
    frame = pd.DataFrame(values, columns=[f"x{i}" for i in range(n_columns)])
    frame["y"] = np.where(values[:, 77] > 4, "yes", "no")
    output = ["--output", tmp_path / "page.html"] if command == "explore" else []
    frame.to_csv(tmp_path / "data.csv", index=False)
    text = run(command, tmp_path / "data.csv", *QUICK, *output).stderr
    assert f"from {n_columns} columns of 60 rows" in text
    assert not output or output[1].stat().st_size < 6_000_000


@pytest.mark.long
def test_very_many_rows(tmp_path):
    """The page samples rows and says so; the trees are found on all of them."""
    rng = np.random.default_rng(0)
    n = 100_000
    frame = pd.DataFrame(
        {"a": rng.normal(size=n).round(3), "b": rng.integers(0, 50, n), "k": rng.integers(0, 3, n)}
    )
    frame["y"] = np.where((frame["a"] > 0.5) ^ (rng.random(n) < 0.1), "yes", "no")
    frame.to_csv(tmp_path / "data.csv", index=False)
    run("explore", tmp_path / "data.csv", *QUICK, "--output", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "This page holds 5,000 of the 100,000 rows" in page
    assert len(page) < 1_500_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4_000_000  # kilobytes
