"""The numbers of the tables, against sums done by hand on the sample journal."""

import copy
import csv
import io
import json
from fractions import Fraction

import pytest
from records import LEDGER, a_record, results_of, seconds

from gatree.paper.grids import Style, document
from gatree.paper.published import SAVINGS, Spot, published
from gatree.paper.tables import our_table
from gatree.rendering.documents import comma_separated, json_records, latex, markdown


def cells(records, **wanted):
    return [r for r in records if all(r["cell"].get(name) == value for name, value in wanted.items())]


def test_savings_cells(records, found):
    [cell] = cells(
        records, kind="savings", dataset="zoo", mutation_rate=0.5, x_factor="1e4", population_size=100
    )
    numbers = our_table(4, found).numbers
    spot = Spot(4, "0.5", "1e4", "zoo", "100", "savings")
    ledger = cell["outcome"]["ledger"]
    reclassified = Fraction(ledger["instances_reclassified"], ledger["instances_total"])
    assert numbers[spot] == pytest.approx(float(100 * (1 - reclassified)))
    for name in ("old", "new"):
        times = cell["timing"][name]
        assert len(times["wall"]) == 2
        assert numbers[spot._replace(metric=f"{name}_s")] == min(times["wall"])


def test_table_3_is_the_mean_of_the_savings(found):
    for number, setting in SAVINGS.items():
        savings = our_table(number, found).numbers
        at_100 = savings[Spot(number, *setting, "kr-vs-kp", "100", "savings")]
        mean = our_table(3, found).numbers[Spot(3, *setting, "kr-vs-kp", "mean", "savings")]
        assert mean == pytest.approx(at_100), "50 is none of the paper's sizes"


def test_table_3_is_compared_over_the_sizes_that_both_have(records):
    sizes = [{"population_size": size, "n_generations": size} for size in (100, 300)]
    table = our_table(3, results_of([a_record(str(size), **size) for size in sizes]))
    (mean,) = table.numbers
    both = [published()[Spot(4, "0.5", "1e4", "zoo", size, "savings")] for size in ("100", "300")]
    assert table.papers[mean] == pytest.approx(sum(both) / 2)
    alone = our_table(3, results_of([a_record("a", mutation_rate=0.01)]))
    assert Spot(3, "0.01", "1e4", "zoo", "mean", "savings") not in alone.papers, "Table 6 is lost"


def test_accuracy_cells(records, found):
    wanted = {"kind": "cross-validation", "study": "accuracy", "dataset": "zoo", "mutation_rate": 0.01}
    folds = cells(records, **wanted, x_factor="1e4")
    assert sorted(fold["cell"]["fold"] for fold in folds) == [0, 1, 2, 3, 4]
    numbers = our_table(10, found).numbers
    spot = Spot(10, "0.01", "1e4", "zoo", "100", "accuracy")
    assert numbers[spot] == pytest.approx(sum(f["outcome"]["test_correct"] for f in folds) / 101)
    assert numbers[spot._replace(metric="size")] == sum(f["outcome"]["n_nodes"] for f in folds) / 5
    seconds = [fold["timing"]["new"]["wall"][0] for fold in folds]
    assert numbers[spot._replace(metric="time_s")] == pytest.approx(sum(seconds) / 5)


@pytest.mark.parametrize("number", [8, 12])
def test_j48_columns(found, number):
    x = "1e4" if number == 8 else "1e4..1e6"
    numbers = our_table(number, found).numbers
    at = {column: Spot(number, "0.5", x, "kr-vs-kp", column, "accuracy") for column in ("J48", "J48(p)")}
    assert numbers[at["J48"]] == 3173 / 3196
    assert numbers[at["J48(p)"]] == 3162 / 3196
    assert [numbers[spot._replace(metric="size")] for spot in at.values()] == [57, 41]


def test_failed_cells_and_a_half_finished_cross_validation_are_missing(records):
    folds = cells(records, study="accuracy", kind="cross-validation", dataset="zoo")
    spot = Spot(8, "0.5", "1e4", "zoo", "100", "accuracy")
    one_less = [record for record in folds if record["cell"]["fold"] != 2]
    assert spot in our_table(8, results_of(folds)).numbers
    assert spot not in our_table(8, results_of(one_less)).numbers
    table = our_table(4, results_of([{**record, "status": "failed", "error": "no"} for record in records]))
    assert not table.numbers
    assert len(table.missing) == 288


def test_own_data_sets_come_last_and_own_sizes_in_order(found):
    shown = our_table(4, found).layout
    assert list(dict.fromkeys(row.dataset for row in shown.rows)) == ["zoo", "crime", "kr-vs-kp", "own"]
    assert shown.parts[0].headings[0][2:] == ("50", "100")
    shown = our_table(4, found, with_papers=True).layout
    assert [row.dataset for row in shown.rows][-1] == "own"
    assert shown.parts[0].headings[0][2:5] == ("50", "100", "200")
    twelve = our_table(12, found, with_papers=True).layout
    assert {row.dataset for row in twelve.rows} == {"balance-scale", "anneal", "kr-vs-kp"}


def test_unequal_population_and_generations_have_their_own_column(records):
    [cell] = cells(
        records, kind="savings", dataset="zoo", mutation_rate=0.5, x_factor="1e4", population_size=100
    )
    other = copy.deepcopy(cell)
    other["cell"]["n_generations"] = 7
    shown = our_table(4, results_of([cell, other]))
    assert shown.layout.parts[0].headings[0][2:] == ("100", "100x7")
    assert Spot(4, "0.5", "1e4", "zoo", "100x7", "savings") in shown.numbers


def test_a_study_with_history_gives_way_to_another(records):
    plain = cells(records, study="accuracy", dataset="zoo", mutation_rate=0.5, x_factor="1e4")
    watched = copy.deepcopy(plain)
    for record in watched:
        record["cell"]["study"] = "a-study-that-sorts-first"
        record["key"] += "w"
        record["outcome"] |= {"history": {"accuracy": [], "test_accuracy": [], "size": []}, "test_correct": 0}
    expected = our_table(8, results_of(plain)).numbers
    assert our_table(8, results_of([*watched, *plain])).numbers == expected
    assert our_table(8, results_of([*plain, *watched])).numbers == expected
    assert our_table(8, results_of(watched)).numbers[Spot(8, "0.5", "1e4", "zoo", "100", "accuracy")] == 0


def test_further_evaluators_have_rows_of_their_own(records, found):
    """Where a run was asked for them (`--evaluators old,new,bitset`); the others have the paper's rows."""

    def with_bitset(record):
        if record["cell"]["kind"] != "savings" or "timing" not in record:
            return record
        return {
            **record,
            "timing": {
                **record["timing"],
                "bitset": {"wall": [0.5, 0.25], "cpu": [1.0], "evaluate_wall": [1.0]},
            },
        }

    def seconds(table):
        labels = dict.fromkeys(row.label for row in table.layout.rows)
        return [label for label in labels if "(sec)" in label]

    table = our_table(6, results_of([with_bitset(record) for record in records]))
    assert seconds(table) == ["Old (sec)", "New (sec)", "Bitset (sec)"]
    assert seconds(our_table(6, found)) == ["Old (sec)", "New (sec)"]
    (spot, *_) = (spot for spot in table.numbers if spot.metric == "bitset_s")
    assert table.numbers[spot] == 0.25
    savings = spot._replace(metric="savings")
    assert table.numbers[savings] == our_table(6, found).numbers[savings]


# --- replicates -------------------------------------------------------------------------------------


def replicate(number, n_reclassified, **options):
    """One run of a savings cell; all but the first are timed with another evaluator."""
    ledger = {**LEDGER, "instances_reclassified": n_reclassified, "instances_total": 1000}
    timing = {"old": seconds(2.0), "new": seconds(1.0)} if number == 0 else {"bitset": seconds(0.1)}
    return a_record(f"{number}", outcome={"ledger": ledger}, timing=timing, replicate=number, **options)


def test_numbers_are_means_over_the_replicates_and_the_spread_is_known():
    table = our_table(4, results_of([replicate(4, 100), replicate(0, 500), replicate(1, 300)]))
    spot = Spot(4, "0.5", "1e4", "zoo", "100", "savings")
    assert table.numbers[spot] == pytest.approx(70)
    assert table.spread(spot) == pytest.approx((3, 70, 20, 50, 90))
    assert table.samples[spot] == pytest.approx({0: 50, 1: 70, 4: 90})
    seconds_of = {spot.metric: value for spot, value in table.numbers.items() if spot.metric.endswith("_s")}
    assert seconds_of == {"old_s": 2.0, "new_s": 1.0}, "of the replicates that were timed like the first"
    assert [row.label for row in table.layout.rows][:3] == ["Old (sec)", "New (sec)", "Train Savings"]
    sizes = [{"population_size": size, "n_generations": size} for size in (100, 200)]
    records = [replicate(n, 100 * (n + s), **size) for n in (1, 2) for s, size in enumerate(sizes)]
    [values] = our_table(3, results_of(records)).samples.values()
    assert values == pytest.approx({1: 85, 2: 75})


def test_the_spread_is_printed_and_written():
    table = our_table(4, results_of([replicate(0, 500), replicate(1, 300), replicate(4, 100)]))
    assert "| 70.00 ± 11.55 |" in markdown(document(table, Style(spread=True))), "the standard error"
    assert r"70.00 $\pm$ 11.55" in latex(document(table, Style(spread=True)))
    assert "±" not in markdown(document(table, Style()))
    rows = list(csv.reader(io.StringIO(comma_separated(document(table, Style())))))
    savings = {row[2]: row[3] for row in rows if row[:2] == ["zoo", "Train Savings"]}
    assert savings == {"n": "3", "mean": "70.00", "sd": "20.00", "min": "50.00", "max": "90.00"}
    [record] = [r for r in json.loads(json_records(document(table, Style()))) if r["metric"] == "savings"]
    assert [record[name] for name in ("n", "mean", "sd", "min", "max")] == [3, 70, 20, 50, 90]


@pytest.mark.parametrize(
    ("different", "rows"),
    [
        ({"study": ["one", "other"]}, ["zoo (one)", "zoo (other)"]),
        ({"generation_gap": [0.25, 0.5]}, ["zoo (s, generation_gap 0.25)", "zoo (s, generation_gap 0.5)"]),
    ],
)
def test_cells_that_the_paper_s_tables_cannot_tell_apart_all_show(different, rows):
    ((name, values),) = different.items()
    cells = [a_record(str(value), **{name: value}, outcome={"n_correct": 90}) for value in values]
    table = our_table(4, results_of(cells))
    assert sorted({spot.dataset for spot in table.numbers}) == rows
    assert set(rows) <= {row.dataset for row in table.layout.rows}


def test_a_repeat_of_a_cross_validation_is_one_more_replicate(records):
    records = [
        {**a_fold, "cell": {**a_fold["cell"], **repeat}, "key": f"{a_fold['key']}{repeat}"}
        for a_fold in records
        if a_fold["cell"]["kind"] == "cross-validation"
        for repeat in ({}, {"repeat": 1})
    ]
    once, twice = (
        our_table(8, results_of([r for r in records if r["cell"].get("repeat", 0) < n])) for n in (1, 2)
    )
    assert once.numbers == pytest.approx(twice.numbers)
    assert {len(values) for values in twice.samples.values()} == {
        2 * len(values) for values in once.samples.values()
    }
