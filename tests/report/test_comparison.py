"""Comparisons against what can be counted by hand."""

from __future__ import annotations

from statistics import stdev

import pytest
from records import a_record, results_of, seconds

from gatree.base.errors import ResultError
from gatree.base.statistics import corrected_t_test, holm, welch_t_test
from gatree.rendering.documents import markdown
from gatree.report.comparison import comparison_of, first_comparison, what_varies
from gatree.report.comparison_document import comparison_document, read_published
from gatree.report.metric_figures import metric_figure, rank_figure
from gatree.report.metrics import METRICS


def frame_of(records):
    return results_of(records).frame


def a_fold(correct, fold=0, replicate=0, settings=None, **cell):
    """A fold of ten test instances, of which this number is right."""
    key = f"{correct}{fold}{replicate}{settings}{cell}"
    record = a_record(key, kind="cross-validation", fold=fold, replicate=replicate, **cell)
    found = {"n_train": 40, "n_test": 10, "train_correct": 30, "test_correct": correct}
    identity = {name: record["cell"][name] for name in ("mutation_rate", "x_factor", "population_size")}
    protocol = {"n_folds": 5, "fold_seed": 1, "n_generations": 100}
    return {
        **record,
        "settings": {**identity, **protocol, **(settings or {})},
        "outcome": {**record["outcome"], **found},
        "timing": {"bitset": seconds(0.5)},
    }


def a_baseline(correct, dataset="zoo", name="j48", study="s"):
    cell = {"study": study, "kind": "baseline", "dataset": dataset, "replicate": 0, "baseline": name}
    folds = [
        {"n_train": 40, "n_test": 10, "train_correct": 30, "test_correct": n, "size": 5, "leaves": 3}
        for n in correct
    ]
    outcome = {"n_instances": 50, "cv_correct": sum(correct), "size": 5, "leaves": 3, "train_correct": 30}
    return {
        **a_record(f"{name}{dataset}"),
        "cell": cell,
        "settings": {"n_folds": 5, "fold_seed": 1},
        "outcome": {**outcome, "folds": folds},
        "timing": {"build": 0.1, "cross_validate": 0.5, "folds": [0.1] * len(folds)},
    }


def gaps(dataset, low, high, **cell):
    """Folds with two generation gaps."""
    return [
        a_fold(correct, fold, dataset=dataset, settings={"generation_gap": gap}, **cell)
        for gap, numbers in ((0.25, low), (0.5, high))
        for fold, correct in enumerate(numbers)
    ]


def test_methods_meet_fold_by_fold():
    rows = frame_of([*gaps("zoo", [5, 6, 7], [8, 8, 8]), *gaps("vote", [9, 9, 9], [9, 9, 8])])
    comparison = comparison_of(rows, "generation_gap", "accuracy")
    assert comparison.methods == ("0.25", "0.5")
    assert list(comparison.blocks) == [("vote",), ("zoo",)]
    (pair,) = comparison.pairs("0.25")
    assert (pair.counts, pair.significant) == ((1, 0, 1), (0, 2, 0))
    assert pair.a12 == pytest.approx((1.0 + (6 * 0.5 + 3 * 0) / 9) / 2), "better in zoo, 90, 90, 80 in vote"
    test = pair.tests["zoo",]
    expected = corrected_t_test([30.0, 20.0, 10.0], 0.25)
    assert test == pytest.approx(expected)
    assert comparison.average("0.25") == pytest.approx((60 + 90) / 2)
    assert comparison.ranks == {"0.25": 1.5, "0.5": 1.5}


def test_seeds_are_averaged_within_a_fold():
    records = [
        a_fold(correct, fold, replicate, settings={"generation_gap": gap})
        for gap, folds in ((0.25, [(4, 6), (7, 7)]), (0.5, [(8, 8), (8, 10)]))
        for fold, numbers in enumerate(folds)
        for replicate, correct in enumerate(numbers)
    ]
    comparison = comparison_of(frame_of(records), "generation_gap", "accuracy")
    samples = comparison.blocks["zoo",]
    assert list(samples["0.25"].values.values()) == pytest.approx([50, 70])
    assert list(samples["0.5"].values.values()) == pytest.approx([80, 90])


def means_of(comparison):
    return {method: sample.mean.value for method, sample in comparison.blocks["zoo",].items()}


def test_two_studies_with_the_same_grid_are_compared_and_settings_that_change_together_are_one():
    rows = frame_of([a_fold(5, study="one"), a_fold(7, study="other")])
    assert means_of(comparison_of(rows, "study", "accuracy")) == pytest.approx({"one": 50, "other": 70})
    rows = [
        a_fold(correct, population_size=size, settings={"n_generations": size})
        for size, correct in ((10, 5), (20, 7))
    ]
    assert comparison_of(frame_of(rows), "population_size", "accuracy").others == ()
    assert comparison_of(frame_of(rows), "size", "accuracy").by == "population_size"


def test_baselines_meet_every_setting_and_what_else_varies_makes_places():
    rows = [
        *gaps("zoo", [5, 6], [7, 8]),
        *gaps("zoo", [6, 6], [8, 8], mutation_rate=0.1),
        a_baseline([9, 9]),
    ]
    comparison = comparison_of(frame_of(rows), "generation_gap", "accuracy")
    assert comparison.others == ("mutation_rate",)
    assert list(comparison.blocks) == [("zoo", "0.1"), ("zoo", "0.5")]
    assert comparison.methods == ("0.25", "0.5", "j48")
    by_method = comparison_of(frame_of(rows), "method", "accuracy")
    assert (by_method.methods, len(by_method.blocks)) == (("evolution", "j48"), 4)
    (pair,) = by_method.pairs("evolution")
    assert pair.counts == (1, 0, 0), "the data set counts once, not every point of the grid"
    assert pair.differences == {"zoo": pytest.approx(90 - (55 + 75 + 60 + 80) / 4)}


def test_baselines_that_ran_in_another_study_only_are_left_out_with_a_note():
    """The setting varies in one study, the baseline ran in another: the values are compared all the same."""
    records = [
        *gaps("zoo", [5, 6], [8, 8], study="gaps"),
        *(a_fold(6, fold, study="one", settings={"generation_gap": 0.5}) for fold in range(2)),
        a_baseline([9, 9], study="one"),
    ]
    comparison = comparison_of(frame_of(records), "generation_gap", "accuracy")
    assert comparison.methods == ("0.25", "0.5")
    assert comparison.baselines_left_out == ("j48",)
    assert "they did not run where generation_gap varies: j48." in markdown(comparison_document(comparison))


def test_a_baseline_is_no_value_of_the_same_name():
    rows = [
        *(a_fold(5, fold, settings={"leaf_class": "majority"}) for fold in range(2)),
        *(a_fold(7, fold, settings={"leaf_class": "random"}) for fold in range(2)),
        a_baseline([1, 1], name="majority"),
    ]
    comparison = comparison_of(frame_of(rows), "leaf_class", "accuracy")
    assert means_of(comparison) == pytest.approx({"majority": 50, "random": 70, "baseline majority": 10})
    assert comparison.named("baseline majority") == "baseline majority"


def test_savings_of_two_settings_share_no_seed_and_are_not_paired():
    ledger = {"instances_total": 100, "node_instance_checks": 1, "node_instance_checks_full": 2}
    records = [
        a_record(
            f"{rate}{replicate}",
            mutation_rate=rate,
            replicate=replicate,
            outcome={"ledger": {**ledger, "instances_reclassified": 100 - saved}},
        )
        for rate, numbers in ((0.1, (60, 70)), (0.5, (40, 60)))
        for replicate, saved in enumerate(numbers)
    ]
    for record in records:
        record["settings"]["mutation_rate"] = record["cell"]["mutation_rate"]
    comparison = comparison_of(frame_of(records), "mutation_rate", "savings")
    (pair,) = comparison.pairs("0.1")
    assert pair.tests["zoo",] == pytest.approx(welch_t_test([40, 60], [60, 70]))
    assert "by Welch's t-test, unpaired" in markdown(comparison_document(comparison))


def test_evaluators_are_compared_in_the_cells_that_ran_them_side_by_side():
    alone = {"bitset": seconds(0.1)}
    rows = frame_of([a_record("a"), a_record("b", replicate=1, timing=alone)])
    comparison = comparison_of(rows, "evaluator", "seconds")
    assert means_of(comparison) == {"new": 1, "old": 2}
    assert comparison.is_paired
    both = frame_of([a_record("a"), a_record("b", replicate=1)])
    assert "the paired t-test, cell by cell" in markdown(
        comparison_document(comparison_of(both, "evaluator", "seconds"))
    )
    with pytest.raises(ResultError, match="all evaluators have the same savings"):
        comparison_of(rows, "evaluator", "savings")


def test_seconds_are_those_of_seeds_that_were_timed_alike():
    records = [
        a_record(f"{rate}{n}", mutation_rate=rate, replicate=n, timing=timing, study=f"from {first}")
        for rate, first in ((0.1, 0), (0.5, 3))
        for n, timing in enumerate([{"new": seconds(rate)}, {"bitset": seconds(9.0)}], start=first)
    ]
    for record in records:
        record["settings"]["mutation_rate"] = record["cell"]["mutation_rate"]
    comparison = comparison_of(frame_of(records), "mutation_rate", "seconds")
    assert [sample.mean.value for sample in comparison.blocks["zoo",].values()] == [0.1, 0.5]
    assert "Seconds are those of new, of the timed seeds." in comparison_document(comparison).notes


@pytest.mark.parametrize(
    ("records", "by", "metric", "message"),
    [
        ([a_fold(5)], "leaf_clas", "accuracy", "--by leaf_clas: no such setting; did you mean 'leaf_class'"),
        ([a_fold(5)], "colour", "accuracy", "--by colour: no such setting; nothing varies here"),
        ([a_fold(5)], "mutation_rate", "accuracy", "it is 0.5 in all cells, and a comparison"),
        ([a_record()], "mutation_rate", "accuracy", "no evolution here has a value of accuracy; only"),
        ([a_baseline([5])], "method", "savings", "has a value of savings; available: accuracy"),
        (gaps("zoo", [5], []), "method", "accuracy", "it is evolution in all cells"),
        (
            [a_fold(5), a_fold(5, mutation_rate=0.1, dataset="vote"), a_baseline([5], "vote")],
            "mutation_rate",
            "accuracy",
            "0.1, 0.5 have not all run on the same data yet",
        ),
        (
            [
                *(a_fold(5, mutation_rate=rate, study="s") for rate in (0.1, 0.5)),
                *(a_fold(5, mutation_rate=rate, study="t", dataset=f"d{rate}") for rate in (0.5, 0.9)),
            ],
            "mutation_rate",
            "accuracy",
            "finish the experiment, or compare 0.1, 0.5 with --where study=s",
        ),
    ],
)
def test_what_cannot_be_compared_is_explained(records, by, metric, message):
    with pytest.raises(ResultError) as caught:
        comparison_of(frame_of(records), by, metric)
    assert message in str(caught.value)


def test_the_document_says_who_is_better_and_whether_it_can_be_chance():
    names = [f"d{index}" for index in range(6)]
    records = [
        record
        for index, name in enumerate(names)
        for record in gaps(name, [5, 6 + index % 2], [8, 8 + index % 3])
    ]
    document = comparison_document(comparison_of(frame_of(records), "generation_gap", "accuracy"))
    assert document.notes[0] == "generation_gap 0.5 is better than generation_gap 0.25 on 6 of 6, p = 0.0312."
    text = markdown(document)
    assert "| average rank |" in text
    assert "(v/ /*)" in text
    reverse = comparison_document(comparison_of(frame_of(records), "generation_gap", "size"), against="0.5")
    assert reverse.grids[0].headings == (("data set", "(1) 0.5", "(2) 0.25"),)
    assert reverse.notes[0] == "generation_gap 0.5 and generation_gap 0.25 are each better on 0 of 6."
    assert "by the corrected resampled t-test (Nadeau and Bengio), fold by fold." in text


def test_marks_are_weka_s():
    records = [*gaps("zoo", [5, 6, 5], [8, 9, 8]), a_baseline([1, 2, 1])]
    (means, _) = comparison_document(comparison_of(frame_of(records), "generation_gap", "accuracy")).grids
    assert means.rows[0][0] == "zoo"
    assert means.rows[0][2].endswith(" v")
    assert means.rows[0][3].endswith(" *")
    assert means.rows[-1] == ("(v/ /*)", "", "(1/0/0)", "(0/0/1)")


def test_baselines_on_other_folds_are_not_compared():
    records = [*gaps("zoo", [5, 6, 5], [8, 9, 8]), a_baseline([1, 2, 1])]
    for record in records[:-1]:
        record["settings"]["folds"] = "every-nth"
    found = comparison_of(frame_of(records), "generation_gap", "accuracy")
    assert found.baselines == ()
    records[-1]["settings"]["folds"] = "every-nth"
    assert comparison_of(frame_of(records), "generation_gap", "accuracy").baselines == ("j48",)


def test_published_numbers_stand_next_to_ours(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("dataset,method,metric,value\nzoo,evtree,accuracy,0.9316\nzoo,evtree,size,27\n")
    found = comparison_of(frame_of(gaps("zoo", [5, 6], [8, 9])), "generation_gap", "accuracy")
    (means, _) = comparison_document(found, published=read_published(path, "accuracy")).grids
    assert means.headings[0][-1] == "evtree, published"
    assert means.rows[0][-1] == "93.16"
    assert {len(row) for row in means.rows} == {len(means.headings[0])}
    with pytest.raises(ResultError, match="no published numbers for the metric seconds"):
        read_published(path, "seconds")
    path.write_text("dataset,value\nzoo,1\n")
    with pytest.raises(ResultError, match="columns dataset, method, metric and value"):
        read_published(path, "accuracy")


def test_places_of_one_data_set_are_said_to_be_such():
    records = [record for rate in (0.1, 0.5) for record in gaps("zoo", [5, 6], [8, 8], mutation_rate=rate)]
    document = comparison_document(comparison_of(frame_of(records), "generation_gap", "accuracy"))
    assert document.notes[0] == "generation_gap 0.5 is better than generation_gap 0.25 on zoo."
    assert (
        "One data set: no test over data sets, because the points of a grid are no replicates."
        in document.notes
    )
    assert document.grids[1].rows[0][-1] is None


def test_too_few_seeds_or_data_sets_for_a_verdict_are_said():
    records = [a_fold(5), a_fold(7, mutation_rate=0.1)]
    document = comparison_document(comparison_of(frame_of(records), "mutation_rate", "accuracy"))
    assert document.notes[0] == "mutation_rate 0.1 is better than mutation_rate 0.5 on zoo."
    assert any("takes two folds or two seeds" in note for note in document.notes)
    records = [*gaps("zoo", [5, 6], [8, 8]), *gaps("vote", [5, 6], [8, 9])]
    document = comparison_document(comparison_of(frame_of(records), "generation_gap", "accuracy"))
    assert "p = 0.5: no significant difference at 5 %" in document.notes[0]
    assert any("With 2 data sets p cannot be below 0.5" in note for note in document.notes)


def test_more_than_two_methods_have_friedman_s_test_and_holm_s_correction():
    names = [f"d{index}" for index in range(6)]
    records = [
        record
        for index, name in enumerate(names)
        for record in [*gaps(name, [5, 6 + index % 2], [8, 8 + index % 3]), a_baseline([3, index % 4], name)]
    ]
    comparison = comparison_of(frame_of(records), "generation_gap", "accuracy")
    first, second = comparison.pairs("0.25")
    assert (first.p, first.corrected_p) == pytest.approx((0.03125, 0.0625))
    assert second.corrected_p == pytest.approx(0.0625)
    document = comparison_document(comparison)
    assert document.grids[1].headings[0][-2:] == ("p (Wilcoxon)", "p (Holm)")
    assert "Friedman's test of all 3 over the 6 data sets: p = 0.00248." in document.notes
    test = corrected_t_test([30.0, 20.0], 0.25)
    raw = [test.p, corrected_t_test([-20.0, -60.0], 0.25).p]
    assert first.tests["d0",].p == pytest.approx(holm(raw)[0])


def test_what_varies_is_compared_where_nothing_is_named():
    rows = [*gaps("zoo", [5, 6], [7, 8]), a_baseline([9, 9])]
    assert what_varies(frame_of(rows), "accuracy") == ["generation_gap", "method"]
    evaluators, _ = first_comparison(frame_of([a_record()]))
    assert (evaluators.by, evaluators.metric) == ("evaluator", "seconds")
    with pytest.raises(ResultError, match="nothing to compare: nothing varies here"):
        first_comparison(frame_of([a_record(timing={"new": seconds(1.0)})]))


def test_what_cannot_be_compared_is_passed_over_where_nothing_is_named():
    """Each generation gap ran on data of its own."""
    rows = [*gaps("zoo", [5, 6], [], study="one"), *gaps("vote", [], [7, 8], study="two")]
    with pytest.raises(ResultError, match=r"--by generation_gap: 0.25, 0.5 have not all run"):
        first_comparison(frame_of(rows))
    comparison, more = first_comparison(frame_of([*rows, a_baseline([9, 9], study="one")]))
    assert (comparison.by, comparison.methods) == ("method", ("evolution", "j48"))
    assert more == ["generation_gap"]


def test_every_metric_can_be_compared_and_drawn():
    """Of savings cells; the history has the number of distinct trees."""
    history = {"accuracy": [0.5, 0.6], "test_accuracy": [], "size": [3, 5], "distinct": [50, 41]}
    records = [
        a_record(
            f"{rate}{n}", mutation_rate=rate, replicate=n, outcome={"history": history, "n_leaves": n + 2}
        )
        for rate in (0.1, 0.5)
        for n in (0, 1)
    ]
    for record in records:
        record["settings"]["mutation_rate"] = record["cell"]["mutation_rate"]
    rows = frame_of(records)
    expected = {"speed-up": 2.0, "evaluation-speed-up": 2.0, "trees-per-second": 1000.0, "leaves": 2.5}
    expected |= {"distinct-trees": 41.0, "checks-savings": 50.0, "savings-of-all": 100 * (1 - 50 / 90_000)}
    for metric in METRICS:
        if metric not in ("accuracy", "r2", "train-r2", "rmse", "mae", "equal-time"):  # they have none
            found = means_of(comparison_of(rows, "mutation_rate", metric))
            assert found == pytest.approx(dict.fromkeys(("0.1", "0.5"), expected.get(metric, found["0.1"])))
            assert metric_figure(comparison_of(rows, "mutation_rate", metric)).axes


def test_a_figure_by_one_setting_has_error_bars_and_by_two_is_a_heat_map():
    records = [
        record
        for rate in (0.1, 0.5)
        for record in gaps("zoo", [5, 6], [8, 8 + (rate > 0.1)], mutation_rate=rate)
    ]
    rows = frame_of(records)
    (axes,) = metric_figure(comparison_of(rows, "generation_gap", "accuracy")).axes
    (points, *_) = axes.containers[0]
    assert list(points.get_ydata()) == pytest.approx([55, 82.5])
    error = stdev([50, 60]) * (1 / 2 + 10 / 40) ** 0.5
    (low, high) = axes.containers[0][2][0].get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx((2 * error**2) ** 0.5 / 2), "of the mean of two points"
    (axes,) = metric_figure(comparison_of(rows, "generation_gap", "accuracy"), ["mutation_rate"]).axes
    assert axes.images[0].get_array().tolist() == [pytest.approx([55, 55]), pytest.approx([80, 85])]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.1", "0.5"]
    with pytest.raises(ResultError, match="what varies next to generation_gap is mutation_rate"):
        metric_figure(comparison_of(rows, "generation_gap", "accuracy"), ["x_factor"])


def test_ranks_are_drawn_with_the_critical_difference():
    records = [
        record
        for index in range(6)
        for record in [*gaps(f"d{index}", [5, 6], [8, 8]), a_baseline([7, 8], f"d{index}")]
    ]
    comparison = comparison_of(frame_of(records), "generation_gap", "accuracy")
    (axes,) = rank_figure(comparison).axes
    texts = {text.get_text() for text in axes.texts}
    assert {"generation_gap 0.25 (3.00)", "generation_gap 0.5 (1.00)", "j48 (2.00)"} <= texts
    assert any(text.startswith("critical difference 1.35 (Nemenyi, 5 %), 6 data sets; Fr") for text in texts)
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 3.5]
    assert [(round(a, 1), round(b, 1)) for a, b in bars] == [(0.9, 2.1), (1.9, 3.1)], "2 is near both"
    with pytest.raises(ResultError, match="needs three rivals"):
        rank_figure(comparison_of(frame_of(gaps("zoo", [5, 6], [8, 8])), "generation_gap", "accuracy"))
