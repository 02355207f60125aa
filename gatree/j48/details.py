"""An evaluation as WEKA prints it: the detailed accuracy by class."""

from __future__ import annotations

import math

from gatree.base.errors import visible
from gatree.j48.evaluation import ClassMeasures, Evaluation
from gatree.j48.tree import decimals

_HEAD = "               TP Rate   FP Rate   Precision   Recall  F-Measure   ROC Area  Class"
_WIDTH, _DECIMALS = 7, 3


def details_by_class(evaluation: Evaluation, class_values: tuple[str, ...]) -> list[str]:
    """Return the lines of WEKA's table "Detailed Accuracy By Class", the weighted means last."""
    rows = zip(evaluation.by_class(), class_values, strict=True)
    lines = [f"{' ' * 15}{_cells(measures)}    {visible(name)}" for measures, name in rows]
    return [_HEAD, *lines, f"Weighted Avg.  {_cells(evaluation.weighted())}"]


def _cells(measures: ClassMeasures) -> str:
    area = "  ?    " if math.isnan(measures.roc_area) else aligned(measures.roc_area)
    first = f"{aligned(measures.tp_rate)}   {aligned(measures.fp_rate)}    {aligned(measures.precision)}"
    return f"{first}   {aligned(measures.recall)}   {aligned(measures.f_measure)}    {area}"


def aligned(value: float) -> str:
    """Return a number with up to three decimals, its point where all others have it."""
    before, _, after = decimals(value, _DECIMALS).partition(".")
    point = "." if after else " "
    return f"{before.rjust(_WIDTH - _DECIMALS - 1)}{point}{after.ljust(_DECIMALS)}"
