from __future__ import annotations

import pytest
from commands import printed, run
from laboratory import gatree_here

from gatree.base.errors import ConfigError
from gatree.j48 import J48Settings


def test_the_printed_tree_and_its_numbers():
    result = run("j48", "vote")
    assert "leaves:            6\nsize:              11\n" in result.stdout
    assert "training data:     423 of 435 correct (97.24%)\n" in result.stdout
    assert "cross-validation:  419 of 435 correct (96.32%), 10 folds\n" in result.stdout
    assert "kappa:             0.9224\n" in result.stdout
    assert "Weighted Avg.    0.963     0.041      0.963     0.963     0.963      0.971" in result.stdout
    assert "<- classified as\n" in result.stdout


def test_json_for_machines():
    answer = printed("j48", "vote", "--reduced-error", "--folds", "5")
    assert answer["size"] == 9
    assert answer["leaves"] == 5
    assert answer["cv_correct"] == 415
    assert answer["train_correct"] == 420
    assert answer["n_instances"] == 435
    assert answer["tree"].startswith("physician-fee-freeze")
    assert sum(map(sum, answer["cv_confusion"])) == 435
    assert answer["cv_kappa"] == pytest.approx(0.9035, abs=1e-3)
    assert [sorted(row) for row in answer["cv_by_class"]] == [sorted(answer["cv_weighted"])] * 2


@pytest.mark.parametrize(
    ("options", "size", "cv_correct"),
    [
        (["--multiway"], 6, 212),
        (["--multiway", "--unpruned"], 179, 189),
    ],
)
def test_options_reach_the_tree(options, size, cv_correct):
    answer = printed("j48", "breast", "--folds", "5", *options)
    assert (answer["size"], answer["cv_correct"]) == (size, cv_correct)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reduced-error", "--unpruned"], "exclude each other"),
        (["--confidence", "0"], "0<x<1"),
        (["--min-instances", "0"], "1<=x<="),
        (["--folds", "1"], "2<=x<="),
        (["--split", "50", "--test", "vote"], "exclude each other"),
        (["--reduced-error", "--prune-seed", str(2**31)], "--prune-seed"),
    ],
)
def test_wrong_usage_ends_with_2(options, message):
    assert message in run("j48", "vote", *options, code=2).output


HEADER = "@relation r\n@attribute a {x,y}\n@attribute c %s\n@data\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER % "{p}" + "x,p\ny,p\n" * 3, "'c' is 'p' in all rows"),
        (HEADER % "{p,q}" + "x,p\ny,q\n", "--folds: cannot make 10 folds of 2 instances"),
        (HEADER % "{p,q}", "no row has a value of 'c'"),
        (HEADER % "numeric" + "x,1\ny,2\n" * 3, "numeric"),
    ],
    ids=["one class", "fewer instances than folds", "no instances", "numeric class"],
)
def test_data_that_j48_cannot_use_end_with_1_and_one_message(text, message, tmp_path, capsys):
    file = tmp_path / "bad.arff"
    file.write_text(text)
    code, output, errors = gatree_here(capsys, "j48", file)
    assert (code, output) == (1, "")
    assert errors.startswith("error: ")
    assert message in errors
    assert errors.count("\n") == 1


def test_class_and_string_options_reach_the_reader(tmp_path):
    file = tmp_path / "data.arff"
    attributes = "@attribute text string\n@attribute first {p,q}\n@attribute last {x,y}\n"
    file.write_text(f"@relation r\n{attributes}@data\n" + "one,p,x\ntwo,q,y\n" * 5)
    answer = printed("j48", file, "--class", "first", "--drop-strings")
    assert answer["classes"] == ["p", "q"]
    assert answer["tree"] == "last = x: p (5.0)\nlast != x: q (5.0)"


def test_other_data_to_test_with(tmp_path):
    """With columns and values in another order, or without classes; instances without one do not count."""
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("a,b,class\n" + "1,x,yes\n2,y,no\n" * 10 + "1,x,?\n2,y,\n")
    test.write_text("class,b,more,a\n" + "no,y,1,2\n" * 4 + "yes,x,1,1\nno,x,1,1\n?,x,1,1\n")
    shown = run("j48", train, "--test", test)
    assert "test data:         5 of 6 correct (83.33%)\n" in shown.stdout
    assert "cross-validation" not in shown.stdout
    answer = printed("j48", train, "--test", test)
    assert (answer["test_correct"], answer["test_instances"]) == (5, 6)
    assert (answer["n_instances"], answer["n_without_class"]) == (20, 2)
    test.write_text("a,b,class\n1,x,?\n2,y,?\n")
    assert "kappa:             ?\n" in run("j48", train, "--test", test).stdout
    assert "test split:        211 of 217 correct (97.24%)\n" in run("j48", "vote", "--split", "50").stdout


def test_more_than_26_classes_have_letters(tmp_path):
    names = ",".join(f"k{number}" for number in range(30))
    rows = "".join(f"{number},k{number % 30}\n" for number in range(60))
    file = tmp_path / "many.arff"
    file.write_text(f"@relation r\n@attribute n numeric\n@attribute c {{{names}}}\n@data\n{rows}")
    assert "| ad = k29\n" in run("j48", file).stdout


def test_seeds_beyond_32_bits_are_refused_as_in_weka():
    with pytest.raises(ConfigError, match="prune_seed must be an integer of 32 bits"):
        J48Settings(prune_seed=-(2**31) - 1)
