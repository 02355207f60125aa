"""A finding as text and as JSON: the tree, what it is worth, how sure that is, and other methods."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np

from gatree.base.errors import brief, counted, percent, visible
from gatree.base.json_values import Json
from gatree.data.answer import Numbers
from gatree.j48.evaluation import Evaluation, details, evaluated, pooled
from gatree.learners.comparison import Baseline
from gatree.learners.cross_validation import NO_TEST
from gatree.learners.measures import Judged
from gatree.study.finding import Finding
from gatree.trees.model import DecisionTree
from gatree.trees.numbers import grouped
from gatree.trees.render import size_text

_MOST_CLASSES = 12  # that are listed

Line = tuple[str, str]
"""A label and a text; a further line of a label has an empty one."""


def answer_lines(finding: Finding) -> Iterator[Line]:
    """Yield what is known of the chosen tree before the cross-validation."""
    measure, judged, tree = finding.measure, finding.training[finding.chosen], finding.tree
    yield measure.name, f"{judged.worth:.4f} on the training data ({measure.text(judged)})"
    if not measure.is_plain:
        yield "accuracy", f"{judged.accuracy:.4f} on the training data ({judged.n_correct:,} of {judged.n:,})"
    if measure.shows_classes and judged.recall is not None:
        yield "balanced", f"{judged.balanced:.4f} on the training data, the mean recall of the classes"
    yield "size", size_text(tree)
    yield "chosen", how_chosen(finding)
    if finding.n_proven > 1:
        yield "proven", f"trees of up to {finding.n_proven} leaves: none {measure.terms}"


_BEST = {
    "accuracy": "least error",
    "log_loss": "least log loss",
    "roc_auc": "largest area under the ROC curve",
}


def how_chosen(finding: Finding) -> str:
    """Return how the size was chosen."""
    settings = finding.request.settings
    if settings.size != "auto":
        return f"the best tree found of at most {counted(settings.size, 'leaf', 'leaves')}"
    rule, where = settings.size_rule, "in the search's own cross-validation"
    if rule in ("min", 0) or (rule is None and settings.scoring == "log_loss"):
        return f"from the data: the size with the {_BEST[settings.scoring]} {where}"
    best = "best" if settings.scoring == "accuracy" else _BEST[settings.scoring]
    how_near = "close to" if rule is None else f"within {_standard_errors(rule)} of"
    return f"from the data: the smallest size {how_near} the {best} {where}"


def _standard_errors(size_rule: str | float) -> str:
    return "one standard error" if size_rule in ("1-se", 1) else f"{size_rule} standard errors"


def validated_lines(finding: Finding) -> Iterator[Line]:
    """Yield the cross-validation: the whole procedure, this size, and the best size."""
    crossed, measure = finding.crossed, finding.measure
    if crossed is None:
        return
    judged, here = crossed.procedure, crossed.sizes[finding.chosen]
    leaves = float(np.mean(crossed.n_leaves))
    yield "validated", f"{measure.name} in cross-validation ({crossed.folds.text}), with its standard error:"
    yield (
        "",
        f"{sure(judged)} the whole procedure ({measure.text(judged)}; trees of {leaves:.1f} leaves)",
    )
    if len(finding.searched.trees) > 1:
        n = finding.searched.leaves
        yield "", f"{sure(here)} trees of this size ({counted(n[finding.chosen], 'leaf', 'leaves')})"
        best, near = crossed.best, crossed.within_one_error
        yield "", f"{sure(crossed.sizes[best])} trees of the best size ({counted(n[best], 'leaf', 'leaves')})"
        if near != best:
            words = (
                f"the smallest size within one standard error of it ({counted(n[near], 'leaf', 'leaves')})"
            )
            yield "", f"{sure(crossed.sizes[near])} {words}"
    if not measure.is_plain:
        yield "", f"{judged.accuracy:.4f} accuracy of the whole procedure"
    if judged.scores is not None and finding.request.settings.scoring != "accuracy":
        loss, area = judged.scores.log_loss, judged.scores.roc_auc
        yield "", f"{loss:.4f} log loss, {area:.4f} area under the ROC curve of the whole procedure"
    if measure.shows_classes:
        yield "", f"{judged.balanced:.4f} balanced accuracy of the whole procedure"
        yield from _by_class(finding, judged)


def smaller_lines(finding: Finding) -> Iterator[Line]:
    """Yield what smaller trees lose in the cross-validation, a line for each that a person might take."""
    for place, (index, lost) in enumerate(smaller(finding)):
        n = finding.searched.leaves[index]
        how = f" (a smaller tree: --leaves {n})" if place == 0 else ""
        yield (
            "" if place else "smaller",
            f"{counted(n, 'leaf loses', 'leaves lose')} {lost_text(finding, lost)}{how}",
        )


def smaller(finding: Finding) -> list[tuple[int, float]]:
    """Return the sizes below the chosen one that a person might take, and what they lose."""
    return [] if finding.crossed is None else finding.crossed.smaller(finding.chosen)


def lost_text(finding: Finding, lost: float) -> str:
    """Return what is lost of the measure, in points if it is a share."""
    if lost <= 0:
        return "nothing"
    return finding.measure.lost_text(lost)


def sure(judged: Judged) -> str:
    """Return the measure with its standard error."""
    return f"{judged.worth:.4f} +- {judged.error:.4f}"


def _by_class(finding: Finding, judged: Judged) -> Iterator[Line]:
    assert judged.recall is not None
    assert judged.precision is not None
    counts = finding.dataset.class_counts
    for index in np.argsort(-counts, kind="stable")[:_MOST_CLASSES]:
        if counts[index]:
            precision = judged.precision[index]
            never = math.isnan(precision)
            words = "never predicted" if never else f"precision {precision:.4f}"
            name = brief(finding.dataset.class_values[index])
            yield "", f"  {name}: recall {judged.recall[index]:.4f}, {words}"


def baseline_line(baseline: Baseline) -> Line:
    """Return a line on another method."""
    if baseline.judged is None:
        return baseline.name, f"left out: {visible(baseline.why_not)}"
    size = f" (trees of {baseline.n_leaves:.1f} leaves)" if baseline.n_leaves > 1 else ""
    return baseline.name, f"{sure(baseline.judged)} {baseline.tried_on}{size}"


_BARELY = 0.1  # seconds


def time_text(spent: tuple[tuple[str, float], ...]) -> str:
    """Return the parts of the time and their sum; reading the data only if it took a while."""
    shown = [(what, seconds) for what, seconds in spent if what != "reading" or seconds >= _BARELY]
    parts = ", ".join(f"{what} {seconds:.2f} s" for what, seconds in shown)
    return f"{sum(seconds for _, seconds in spent):.2f} s: {parts}"


def summary(finding: Finding) -> list[str]:
    """Return what was found in a few sentences."""
    tree, judged = finding.tree, finding.training[finding.chosen]
    data, name = finding.dataset, brief(finding.dataset.answer.name)
    crossed = finding.crossed
    if tree.n_leaves == 1:
        return [_of_one_leaf(finding)]
    tested = [each for each in dict.fromkeys(tree.tree.attribute.tolist()) if each >= 0]
    names = [brief(data.attributes[index].name) for index in tested]
    found_on = f"with {counted(tree.n_leaves, 'rule')}; it was found on {data.n_instances:,} rows"
    said = [f"The chosen tree predicts {name} from {_listed(names)}, {found_on}."]
    worth = judged if crossed is None else crossed.procedure
    where = "the rows it was found on" if crossed is None else "rows that were held out"
    they, verb, end = (
        ("It", "is", "s") if crossed is None else ("Trees that are found in this way", "are", "")
    )
    if isinstance(data.answer, Numbers):
        off = f"a prediction is off by {grouped(worth.mae)} on average"
        explained = percent(worth.worth, digits=0)
        said.append(f"{they} explain{end} {explained} of the variance on {where}; {off}.")
    else:
        said.append(f"{they} {verb} right for {percent(worth.accuracy)} of {where}.")
        largest = int(np.argmax(data.class_counts))
        always, share = brief(data.class_values[largest]), data.class_counts[largest] / data.n_instances
        said.append(f"Always answering {always} would be right for {percent(share)}.")
    if crossed is not None and crossed.importance:
        first = brief(data.attributes[crossed.importance[0].attribute].name)
        said.append(f"{first} matters most: shuffling it hurts predictions most.")
    if crossed is not None:
        column, times = crossed.first_tests()[0]
        searches = f"in {times} of {counted(len(crossed.trees), 'search', 'searches')} on parts of the rows"
        is_asked = column != NO_TEST
        first = f"The first question is about {brief(column)}" if is_asked else "There is no question at all"
        said.append(f"{first} {searches}.")
    return said


def _of_one_leaf(finding: Finding) -> str:
    """Return what a tree without a test answers, and how often that is right."""
    name, judged = brief(finding.dataset.answer.name), finding.training[finding.chosen]
    if isinstance(finding.dataset.answer, Numbers):
        about = f"which is off by {grouped(judged.mae)} on average"
        answer = grouped(finding.tree.prediction(0))
    else:
        about = f"which is right for {percent(judged.accuracy)} of the rows"
        answer = brief(finding.tree.label(0))
    return f"The chosen tree tests no column: for {name}, the answer is always {answer}, {about}."


def _listed(names: list[str]) -> str:
    if len(names) > 5:
        names = [*names[:4], f"{len(names) - 4} other columns"]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def size_fields(tree: DecisionTree) -> dict[str, int]:
    """Return the size of a tree for JSON."""
    return {"n_nodes": tree.n_nodes, "n_leaves": tree.n_leaves, "depth": tree.depth}


def as_dict(finding: Finding, per_size: bool = False) -> dict[str, object]:
    """Return a finding for JSON, the tree in the form that `gatree predict` reads."""
    measure, tree, judged = finding.measure, finding.tree, finding.training[finding.chosen]
    content: dict[str, object] = {
        "data": finding.dataset.name,
        "n_instances": finding.dataset.n_instances,
        "measure": measure.name,
        **measure.fields(judged),
        **size_fields(tree),
        "leaves": finding.request.settings.size,
        "proven_up_to": finding.n_proven,
        "notes": list(finding.notes),
        "cross_validation": _crossed_fields(finding),
        "compared": _compared_fields(finding),
        "seconds": dict(finding.spent).get("search", 0.0),
        "seconds_spent": dict(finding.spent),
        "settings": finding.request.settings.model_dump(mode="json"),
        "summary": summary(finding),
        "tree": json.loads(tree.to_json()),
    }
    if per_size:
        content["per_size"] = [
            {**row, "tree": json.loads(finding.tree_at(index).to_json())}
            for index, row in enumerate(size_rows(finding))
        ]
    return content


def size_rows(finding: Finding) -> list[dict[str, Json]]:
    """Return a row for each size, with its cross-validation and standard error if there is one.

    If the size was chosen from the data, a row has the error by which: that of the search's own
    cross-validation, smoothed over similar sizes.
    """
    rows: list[dict[str, Json]] = []
    for index, tree in enumerate(finding.searched.trees):
        row: dict[str, Json] = {
            "n_nodes": tree.n_nodes,
            "n_leaves": tree.n_leaves,
            finding.measure.name: finding.training[index].worth,
            "proven": tree.n_leaves in finding.searched.proven,
        }
        if finding.crossed is not None:
            judged = finding.crossed.sizes[index]
            row |= {"cross-validated": judged.worth, "standard error": judged.error}
        if (choice := finding.searched.size_choice) is not None:
            row["chosen by"] = choice.errors.get(tree.n_leaves)
        rows.append(row | {"chosen": index == finding.chosen})
    return rows


def _crossed_fields(finding: Finding) -> dict[str, object] | None:
    crossed, measure = finding.crossed, finding.measure
    if crossed is None:
        return None
    names, judged = finding.dataset.attributes, crossed.procedure
    fields: dict[str, object] = {
        "folds": crossed.folds.n_folds,
        "repeats": crossed.folds.n_repeats,
        "n_held_out": judged.n_rows,
        **measure.fields(judged),
        "standard_error": judged.error,
        "n_leaves": float(np.mean(crossed.n_leaves)),
        "n_nodes": 2 * float(np.mean(crossed.n_leaves)) - 1,
        "leaves_of_folds": crossed.n_leaves,
        "first_tests": crossed.first_test_texts(),
        "importance": {names[each.attribute].name: each.lost for each in crossed.importance},
    }
    if len(finding.searched.trees) > 1:
        leaves = finding.searched.leaves
        fields["this_size"] = measure.fields(crossed.sizes[finding.chosen])
        fields["best_size"] = leaves[crossed.best]
        fields["smaller"] = [{"n_leaves": leaves[index], "lost": lost} for index, lost in smaller(finding)]
        fields["smallest_within_one_standard_error"] = leaves[crossed.within_one_error]
    if judged.recall is not None and judged.precision is not None and measure.shows_classes:
        by_class = zip(finding.dataset.class_values, judged.recall, judged.precision, strict=True)
        fields["by_class"] = {name: {"recall": _known(r), "precision": _known(p)} for name, r, p in by_class}
    return fields


def _known(share: float) -> float | None:
    return None if math.isnan(share) else float(share)


def _compared_fields(finding: Finding) -> dict[str, object] | None:
    if finding.baselines is None:
        return None
    return {
        each.name: {"left_out": each.why_not}
        if each.judged is None
        else {
            **finding.measure.fields(each.judged),
            "standard_error": each.judged.error,
            "n_leaves": each.n_leaves,
            "tried": each.tried_on,
        }
        for each in finding.baselines
    }


def detail_lines(finding: Finding) -> list[str]:
    """Return the confusion matrix and the figures by class of the cross-validation."""
    return details(_evaluated(finding), finding.dataset.class_values)


def confusion(finding: Finding) -> list[list[int]]:
    """Return how many rows of each class were predicted as each class in the cross-validation."""
    matrix: list[list[int]] = pooled(_evaluated(finding)).confusion.tolist()
    return matrix


def _evaluated(finding: Finding) -> list[Evaluation]:
    """Return how the tree of every fold did on the rows that were held out."""
    crossed, dataset = finding.crossed, finding.dataset
    assert crossed is not None
    folds = zip(crossed.trees, crossed.folds.rows(dataset), strict=True)
    held_out = ((fold.trees[0], dataset.take(test)) for fold, (_, test) in folds)
    return [evaluated(tree, test, tree.predict(test), test.classes) for tree, test in held_out]
