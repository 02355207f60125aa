"""`gatree explore`: what it says before it starts, and the page it writes."""

from click.testing import CliRunner

from gatree.cli.main import cli


def rows(n=60):
    lines = ["id,age,plan,churn"]
    lines += [
        f"C{i},{20 + i % 31},{'abc'[i % 3]},{'' if i == 7 else 'yes' if i % 31 > 12 else 'no'}"
        for i in range(n)
    ]
    return "\n".join(lines)


def test_a_page_and_two_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.csv").write_text(rows())
    result = CliRunner().invoke(cli, ["explore", "c.csv", "--preset", "fast", "--folds", "2", "--no-compare"])
    assert result.exit_code == 0, result.output
    assert result.stdout == "c-trees.html\n"
    first, second, *_ = result.stderr.splitlines()  # progress may follow
    assert first == (
        "predicting churn (no 25, yes 34) from 2 columns of 59 rows; "
        "left out: id (a different value in every row)"
    )
    assert second == (
        "churn is a guess: the last column; --class NAME predicts another one; "
        "1 row has no churn and is left out; --keep NAME keeps a column"
    )
    page = (tmp_path / "c-trees.html").read_text()
    assert "1 row has no value of" in page
    assert "'sha256-" in page


def test_named_class_regression_and_no_rows(tmp_path):
    (tmp_path / "c.csv").write_text(rows())
    output = tmp_path / "out.html"
    arguments = ["explore", str(tmp_path / "c.csv"), "--class", "age", "--regression", "--no-rows"]
    arguments += ["--preset", "fast", "--folds", "0"]
    result = CliRunner().invoke(cli, [*arguments, "--drop", "plan", "--keep", "id", "--output", str(output)])
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("predicting age (numbers from 20 to 50) from 2 columns of 60 rows")
    assert "left out: plan (on request)" in result.stderr
    assert "made without the rows" in output.read_text()
