"""The comparison with the paper: on its own numbers, on the sample, and on journals made by hand."""

from statistics import fmean, stdev
from types import SimpleNamespace

import pytest
from records import LEDGER, a_record, results_of, seconds
from scipy import stats

from gatree.paper.agreement import (
    MISPRINTED,
    Saved,
    agreement,
    baseline_match,
    baseline_notes,
    outside,
    outside_range,
    papers_times,
    place,
    placement,
    placement_table,
    published_times,
    saved_work,
)
from gatree.paper.definitions import departure_lines, departures
from gatree.paper.grids import MEANING_OF_MARK, Style, comparison
from gatree.paper.publish import compared, ours, switch_grids
from gatree.paper.published import SAVINGS, SIZES, TABLES, Spot, paper_numbers, published
from gatree.paper.tables import FilledTable, our_table, paper_table
from gatree.paper.verdict import chance_of_at_most, verdict
from gatree.rendering.documents import markdown
from gatree.settings.evolution_settings import EvolutionSettings

ALL = list(SAVINGS.values())


def savings_cell(dataset, setting, savings, old, new, size=100, replicate=0):
    """A savings cell with this percentage saved of 10,000 instances, and one timing each."""
    mutation, x = setting
    ledger = {**LEDGER, "instances_reclassified": round(10_000 - 100 * savings), "instances_total": 10_000}
    return a_record(
        f"{dataset}{setting}{size}{replicate}",
        outcome={"ledger": ledger},
        timing={"old": seconds(old), "new": seconds(new)},
        dataset=dataset,
        mutation_rate=float(mutation),
        x_factor=x,
        population_size=size,
        n_generations=size,
        replicate=replicate,
    )


@pytest.fixture(scope="module")
def papers_journal():
    """A journal with the published Tables 4, 5 and 7, and Table 3's means for the lost Table 6."""
    journal = []
    for number, setting in SAVINGS.items():
        for spot, value in published().items():
            if number != 6 and spot.table == number and spot.metric == "savings":
                old, new = (published()[spot._replace(metric=name)] for name in ("old_s", "new_s"))
                journal.append(savings_cell(spot.dataset, setting, value, old, new, int(spot.column)))
            if number == 6 and spot[:3] == (3, *setting):
                for size in SIZES:
                    journal.append(
                        savings_cell(spot.dataset, setting, value, old=2.0, new=1.0, size=int(size))
                    )
    return journal


def test_the_papers_own_journal_agrees_with_the_paper(papers_journal):
    placed = placement([3], "savings", results_of(papers_journal), n_runs=1)
    assert len(placed) == 40
    assert (placed["mean"] - placed["paper"]).abs().mean() < 0.01
    for number in (4, 5, 7):
        differences = [
            value - published()[spot]
            for spot, value in our_table(number, results_of(papers_journal)).numbers.items()
            if spot in published()
        ]
        assert differences == pytest.approx([0] * 288, abs=0.006)


def test_the_papers_time_saved(papers_journal):
    paper = Saved.of(published_times(ALL))
    assert [round(number, 1) for number in paper] == [55.1, 35.1, 44.1]
    again = Saved.of(papers_times(results_of(papers_journal), [SAVINGS[4], SAVINGS[5], SAVINGS[7]]))
    assert again == pytest.approx(paper, abs=0.01)
    [grid] = saved_work(results_of(papers_journal))
    everything = ("55.1 / 55.1", "35.1 / 35.1", "44.1 / 44.1", "288 of 288")
    assert ("all, with the stand-ins", *everything) in grid.rows
    left_out = ("kr-vs-kp", "crime", "multiplexor")
    own = [v for spot, v in published().items() if spot[:3] == (3, *SAVINGS[6]) and spot[3] not in left_out]
    assert len(own) == 9
    [table_6] = [row[1:] for row in grid.rows if row[0].startswith("Table 6")]
    assert table_6 == (f"{fmean(own):.1f} / —", "50.0 / —", "50.0 / —", "—")


def test_what_was_saved_is_compared_in_the_cells_that_both_have(papers_journal):
    vote = [record for record in papers_journal if record["cell"]["dataset"] == "vote"]
    results = results_of([*vote, savings_cell("vote", ALL[0], 99.0, old=9.0, new=1.0, size=150)])
    row, *_ = saved_work(results, 4)[0].rows
    assert (row[1], row[4]) == ("29.4 / 29.4", "8 of 72")
    assert verdict(results)[0].text.startswith("The mean over the 24 of 216 cells of Tables 4, 5 and 7")


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"generation_gap": 0.12, "x_steps": 20}, "generation gap 0.12 (the paper's: 0.5)"),
        ({"x_start": None, "x_steps": 20}, "x start none (the paper's: 1000)"),
    ],
)
def test_an_experiment_that_is_not_run_like_the_papers_says_so_and_gets_no_verdict(settings, line):
    record = runs("zoo", [50.0])[0]
    same = EvolutionSettings.preset("paper").model_dump(mode="json")
    results = results_of([{**record, "settings": {**same, **settings}}])
    expected = f"Not run as in the paper, so there is no verdict: {line}."
    assert (departure_lines(results), verdict(results)) == ([expected], [])
    assert ours(4, results, Style()).lead == compared(4, results, Style()).lead == (expected,)
    assert compared(4, results, Style()).below == ()
    assert departure_lines(results_of([{**record, "settings": same}])) == []


def test_folds_of_another_kind_are_not_the_papers(records):
    fold = next(one for one in records if one["cell"].get("fold") == 0 and one["cell"]["dataset"] == "zoo")
    same = EvolutionSettings.preset("paper").model_dump(mode="json")
    results = results_of([{**fold, "settings": {**same, "n_folds": 5, "folds": "weka"}}])
    assert departures(results) == [
        "folds weka (the paper's: every-nth)",
        "drop remainder false (the paper's: true)",
    ]


def test_time_saved_by_hand():
    cells = [
        savings_cell("zoo", ALL[0], 50, old=1.0, new=0.75),
        savings_cell("vote", ALL[0], 30, old=9.0, new=3.0),
    ]
    saved = Saved.of(papers_times(results_of(cells), ALL))
    assert saved == pytest.approx((40, (25 + 100 * 2 / 3) / 2, 62.5))
    assert Saved.of(papers_times(results_of(cells), [ALL[1]])) is None


def test_deviation_by_hand():
    paper, of_vote = (published()[ZOO._replace(dataset=name)] for name in ("zoo", "vote"))
    cells = [savings_cell("zoo", ALL[0], paper + 4, 2, 1), savings_cell("vote", ALL[0], of_vote - 2, 2, 1)]
    results = results_of([*cells, savings_cell("crime", ALL[0], 0, 2, 1)])
    [grid] = agreement(results, 3)
    one_run_each = (None,) * 4
    assert grid.rows == (("mean savings", "the paper's own", "2", "3.00 points", "+1.00", *one_run_each),)
    assert ("Table 3: mean savings", *grid.rows[0][1:]) in agreement(results)[0].rows


def test_j48_matches_but_for_the_misprint(found):
    match = baseline_match(our_table(8, found))
    assert match.n_cells == 8  # zoo and kr-vs-kp; crime is a stand-in, own not in the paper
    [(spot, mine, paper)] = match.different
    assert (spot.dataset, spot.column, spot.metric, mine, paper) == ("kr-vs-kp", "J48(p)", "size", 41, 51)


def test_table_6_is_compared_with_table_3_only(found, papers_journal):
    assert paper_numbers(6) == {}
    [grid] = comparison(our_table(6, found), Style()).grids
    by_label = {row[:3]: row for row in grid.rows}
    assert by_label["zoo", "Train Savings", "paper"][3:] == (None, None, None), "not all sizes were run"
    [grid] = comparison(our_table(6, results_of(papers_journal)), Style()).grids
    by_label = {row[:3]: row for row in grid.rows}
    assert by_label["zoo", "Train Savings", "paper"][3:] == (*[None] * 8, "66.18")
    assert by_label["zoo", "Old (sec)", "paper"][3:] == (None,) * 9
    assert by_label["zoo", "Train Savings", "difference"][-1] == "+0.00"


def test_row_means_are_over_the_cells_that_both_have(found):
    table = our_table(4, found)
    [grid] = comparison(table, Style()).grids
    by_label = {row[:3]: row for row in grid.rows}
    headings = grid.headings[0]
    zoo = by_label["zoo", "Train Savings", "paper"]
    assert zoo[-1] == zoo[headings.index("100")] == "55.48"  # of ours only size 100 is the paper's
    assert by_label["own", "Train Savings", "paper"][-1] is None


def test_differences_have_no_negative_zero():
    numbers = {Spot(3, *ALL[0], "zoo", "mean", "savings"): 56.7299}
    [grid] = comparison(FilledTable(paper_table(3).layout, numbers, papers=published()), Style()).grids
    assert ("zoo", "difference", "+0.00", None, None, None, "+0.00") in grid.rows


@pytest.mark.parametrize("number", TABLES)
def test_every_table_is_compared(number, found):
    results = found
    if number == 6:  # of which we do not have all sizes
        assert agreement(results, number) == []
        return
    [grid] = agreement(results, number)
    expected = {3: ["mean savings"], **{key: ["savings"] for key in (4, 5, 7)}}
    names = dict.fromkeys(row[0] for row in grid.rows)
    assert list(names) == expected.get(number, ["accuracies", "sizes"])
    assert bool(baseline_notes(our_table(number, results))) == (number > 7)
    assert agreement(results_of([]), number) == saved_work(results_of([])) == []


ZOO = Spot(4, *SAVINGS[4], "zoo", "100", "savings")


def runs(dataset, savings, setting=SAVINGS[4]):
    """One savings cell at size 100, a replicate for each of these savings."""
    return [savings_cell(dataset, setting, s, old=2, new=1, replicate=n) for n, s in enumerate(savings)]


def placed(paper, runs):
    return SimpleNamespace(**place(ZOO, paper, runs))


def test_the_range_is_the_prediction_interval():
    runs = (1.0, 2.0, 3.0, 6.0)
    reach = stats.t.ppf(0.975, 3) * stdev(runs) * (1 + 1 / 4) ** 0.5
    low, high = 3 - reach, 3 + reach
    assert (placed(0.0, runs).low, placed(0.0, runs).high) == pytest.approx((low, high), abs=1e-3)
    assert not placed(high + 0.01, runs).inside
    assert placed(high, runs).inside
    assert placed(2.5, runs).runs_below == 2
    assert placed(high + 3, runs).beyond == pytest.approx(3, abs=1e-3)
    assert placed(low - 2, runs).beyond == pytest.approx(2, abs=1e-3)
    assert placed(low + 0.01, runs).beyond == 0
    alike = (55.4823, 55.4823, 55.4823)
    assert placed(55.48, alike).inside, "it is printed with two decimals"
    assert not placed(55.49, alike).inside


def test_deviation_and_noise_floor_by_hand():
    one, other = placed(10.0, (10.0, 12.0, 14.0)), placed(20.0, (19.0, 19.0, 16.0))
    assert (one.mean, other.mean) == pytest.approx((12, 18))
    assert (one.two_runs, other.two_runs) == pytest.approx(((2 + 4 + 2) / 3, (0 + 3 + 3) / 3))
    assert (one.run_and_others, other.run_and_others) == pytest.approx((6 / 3, (1.5 + 1.5 + 3) / 3))


def test_numbers_are_placed_on_the_papers_own_data():
    paper = {name: published()[ZOO._replace(dataset=name)] for name in ("zoo", "vote", "crime")}
    records = [
        *runs("zoo", [paper["zoo"] - 1, paper["zoo"] + 1]),
        *runs("vote", [paper["vote"] + 20, paper["vote"] + 20.1, paper["vote"] + 20.2]),
        *runs("crime", [1, 2]),  # a stand-in
        *runs("glass", [50]),  # one run has no place
    ]
    found = placement([4], "savings", results_of(records))
    assert found["dataset"].to_list() == ["zoo", "vote"]
    assert (found["inside"].to_list(), outside(found)) == ([True, False], {"vote": 1})
    assert (found["mean"] - found["paper"]).mean() == pytest.approx(20.1 / 2, abs=0.01)
    rows = placement_table(results_of(records)).set_index(["table", "dataset"])
    assert rows.loc[(4, "zoo"), ["inside", "runs_below", "n"]].to_list() == [True, 1, 2]
    assert rows.loc[(4, "vote"), "runs_below"] == 0


def test_the_verdict_is_given_with_and_without_what_cannot_be():
    both = [*runs("zoo", [50, 51]), *runs(MISPRINTED, [10, 11])]
    [grid] = agreement(results_of(both), 4)
    with_it, without_it = grid.rows
    assert (*with_it[:3], *with_it[7:]) == ("savings", "the paper's own", "2", "1 of 2", "kr-vs-kp 1")
    assert without_it[1:6] == ("without kr-vs-kp", "1", "4.98 points", "-4.98", "1.00")
    assert without_it[7:] == ("1 of 1", "")


def test_a_published_number_outside_the_range_is_marked_in_its_cell():
    paper = published()[ZOO]
    for savings, mark in (
        ([paper - 1, paper, paper + 1], ""),
        ([paper + 10, paper + 10.1, paper + 10.2], "‡"),
    ):
        records = runs("zoo", savings)
        table = our_table(4, results_of(records))
        assert outside_range(table) == ({ZOO} if mark else set())
        document = comparison(table, Style())
        [grid] = document.grids
        [row] = [row for row in grid.rows if row[:3] == ("zoo", "Train Savings", "paper")]
        assert row[grid.headings[0].index("100")] == f"{paper:.2f}{mark}"
        assert (MEANING_OF_MARK in document.notes) == bool(mark)
        [zoo] = [lines for dataset, lines in switch_grids(table, Style())[0].groups if dataset == "zoo"]
        [cell] = [cell for _, cells in zoo for cell in cells if cell.paper.startswith(f"{paper:.2f}")]
        assert (cell.paper, cell.outside) == (f"{paper:.2f}{mark}", bool(mark))
        assert f"{paper:.2f}{mark}" in markdown(document)
    stand_in_and_single_run = [*runs("crime", [1.0, 1.1]), *runs("zoo", [1.0])]
    assert not outside_range(our_table(4, results_of(stand_in_and_single_run)))


def test_the_verdict_counts_what_lies_inside_and_says_of_how_many_runs():
    paper = published()[ZOO]
    results = results_of(runs("zoo", [paper - 1, paper, paper + 1]))
    saved, interval, inside, means, errors = verdict(results)  # no J48 has run
    assert saved.value == f"{paper:.1f} % (the paper: {paper:.1f} %)"
    assert (interval.title, interval.value) == ("Prediction interval", "95 %")
    assert inside.title == "Published savings (Tables 4, 5, 7)"
    assert inside.value == "1 of 1 inside the prediction interval of our runs"
    assert "With 3 seeds the interval is 2.1 times as wide as with 10" in inside.text
    assert means.title == "Published mean savings (Table 3)"
    assert errors.title == "Wrong in the paper"
    assert errors.sentence == f"{errors.title}: {errors.value}. {errors.text}"


def test_tables_say_of_how_many_seeds_they_are(tmp_path):
    def notes(n):
        records = runs("zoo", [50.0 + k for k in range(n)])
        return ours(4, results_of(records, tmp_path / "cells.jsonl"), Style()).notes

    assert any(note.startswith("n = 3: ") for note in notes(3))
    assert not any(note.startswith("n = ") for note in notes(1))


@pytest.mark.parametrize(("n_inside", "n"), [(176, 216), (286, 312), (25, 36), (5, 5), (0, 3)])
def test_the_chance_of_few_inside_is_the_binomials(n_inside, n):
    assert chance_of_at_most(n_inside, n) == pytest.approx(stats.binom.cdf(n_inside, n, 0.95))


def test_the_verdict_says_how_far_outside_and_where_runs_hardly_differ():
    sizes = range(100, 900, 100)
    cells = [
        {
            **record,
            "key": f"{record['key']}{size}",
            "cell": {**record["cell"], "population_size": size, "n_generations": size},
        }
        for size in sizes
        for record in runs("vote", [40.0, 40.1, 40.0, 40.1])
    ]
    (inside,) = (card for card in verdict(results_of(cells)) if card.title.startswith("Published savings"))
    assert inside.value.startswith("0 of 8 inside")
    assert "By chance 0 of 8 would lie outside; 8 do" in inside.text
    assert "Of the 8 outside, 0 lie less than a point beyond it and 0 less than two" in inside.text
    assert "farther: vote 8" in inside.text
