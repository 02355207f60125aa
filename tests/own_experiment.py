"""An experiment that is not the paper's, made by hand: two data sets, two axes, and J48."""

from itertools import product

from records import a_record, seconds

ODD_NAME = "</script><b>odd</b>"
DATASETS = ("mine", ODD_NAME)
GAPS, LEAVES = (0.1, 0.5), ("random", "majority")
J48 = {"n_instances": 100, "cv_correct": 85, "size": 9, "leaves": 5, "train_correct": 92}


def own_records():
    """Yield the records: savings with two seeds, of which the first is timed, two folds of both, and J48."""
    for number, (dataset, gap, leaf, seed) in enumerate(product(DATASETS, GAPS, LEAVES, (0, 1))):
        cell = {"dataset": dataset, "generation_gap": gap, "leaf_class": leaf, "replicate": seed}
        settings = {"settings": {"generation_gap": gap, "leaf_class": leaf, "mutation_rate": 0.5}}
        found = {"n_correct": 80 + number % 7, "n_nodes": 3 + 2 * (number % 5)}
        timing = (
            {"old": seconds(2.0), "new": seconds(1.0 + number)} if seed == 0 else {"bitset": seconds(0.1)}
        )
        yield {**a_record(f"s{number}", study="savings", outcome=found, timing=timing, **cell), **settings}
        for fold in (0, 1):
            tried = {
                "n_train": 50,
                "n_test": 50,
                "train_correct": 40 + number % 5,
                "test_correct": 30 + (number + fold) % 9,
                "n_nodes": 3 + 2 * ((number + fold) % 6),
            }
            about = {**cell, "study": "folds", "kind": "cross-validation", "fold": fold}
            timing = {"new": seconds(0.5 + fold)}
            yield {**a_record(f"f{number}-{fold}", outcome=tried, timing=timing, **about), **settings}
    for dataset in DATASETS:
        about = {"study": "folds", "kind": "baseline", "dataset": dataset, "baseline": "j48"}
        timing = {"build": 0.01, "cross_validate": 0.05}
        yield a_record(f"j-{dataset}", outcome=J48, timing=timing, **about)
