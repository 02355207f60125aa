"""The cases on which J48 is compared with WEKA: every shipped data set, and generated ones.

WEKA's answers lie in a golden file, which `tests/weka/oracle.py` writes.

A generated data set is a pure function of its number. Only `random.random` is drawn, whose
stream Python promises to keep; the golden file holds a checksum of every data set all the same.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gatree.base.errors import GatreeError
from gatree.data.answer import Classes
from gatree.data.attribute import MISSING, Attribute, Column
from gatree.data.catalog import load_dataset
from gatree.data.dataset import Dataset
from gatree.j48 import J48Settings, cross_validate, evaluate, fit

GOLDEN = Path(__file__).parent / "j48" / "weka_golden.jsonl.gz"
N_GENERATED = 400
SETTINGS_PER_GENERATED = 3
N_ODD = 80
VALUELESS = "-valueless"
SMALL_CONFIDENCES = (0.0001, 1e-5, 0.001, 0.3)


class Case(NamedTuple):
    data: str  # the name of a shipped data set, or the number of a generated one
    folds: int
    seed: int
    settings: J48Settings

    @property
    def name(self) -> str:
        return f"{self.data} x{self.folds} s{self.seed} {weka_options(self.settings)}".rstrip()


# Correct in 5-fold cross-validation and size, -B and -B -R: WEKA's numbers for the paper's Tables 8-12.
PAPER = {
    "balance-scale": (485, 103, 488, 55),
    "zoo": (92, 17, 89, 13),
    "credit-a": (573, 49, 585, 23),
    "lymph": (115, 27, 115, 21),
    "glass": (104, 57, 114, 39),
    "soybean": (37, 7, 36, 7),
    "vote": (420, 11, 415, 9),
    "anneal": (857, 49, 842, 35),
    "breast": (203, 43, 190, 39),
    "kr-vs-kp": (3173, 57, 3162, 41),
}

PRUNINGS: list[dict[str, Any]] = [
    {},
    {"pruning": "none"},
    {"pruning": "reduced-error"},
    {"subtree_raising": False},
    {"confidence": 0.05},
    {"confidence": 0.45},
    {"confidence": 0.7},
    {"pruning": "reduced-error", "prune_folds": 2, "prune_seed": 7},
    {"pruning": "reduced-error", "prune_folds": 5, "prune_seed": 2},
    {"confidence": 0.1, "subtree_raising": False},
]

ALL_SETTINGS = [
    J48Settings(binary_splits=binary, min_instances=least, laplace=laplace, **pruning)
    for pruning, binary, least, laplace in itertools.product(
        PRUNINGS, (True, False), (2, 1, 5), (False, True)
    )
]


def weka_options(settings: J48Settings) -> str:
    """Return the command-line options of WEKA's J48 for our settings."""
    options = []
    if settings.pruning == "none":
        options.append("-U")
    elif settings.pruning == "reduced-error":
        options.append(f"-R -N {settings.prune_folds} -Q {settings.prune_seed}")
    else:
        options.append(f"-C {settings.confidence}" + (" -S" if not settings.subtree_raising else ""))
    options.append(f"-M {settings.min_instances}")
    return " ".join(options) + " -B" * settings.binary_splits + " -A" * settings.laplace


def shipped_cases(names: Iterable[str]) -> Iterator[Case]:
    """Yield every shipped data set with every pruning, binary and multiway."""
    for name, pruning, binary in itertools.product(names, PRUNINGS, (True, False)):
        yield Case(name, 5, 1, J48Settings(binary_splits=binary, **pruning))


def generated_cases(
    n_datasets: int = N_GENERATED, per_dataset: int = SETTINGS_PER_GENERATED
) -> Iterator[Case]:
    """Yield generated data sets, the settings taken in turn so that all combinations occur."""
    for number, turn in itertools.product(range(n_datasets), range(per_dataset)):
        settings = ALL_SETTINGS[(number * per_dataset + turn) * 7 % len(ALL_SETTINGS)]
        yield Case(str(number), folds=(5, 3, 10, 2)[number % 4], seed=1 + number % 3, settings=settings)


def odd_cases() -> Iterator[Case]:
    """Yield generated data sets with an attribute that has no values, and small confidences."""
    for number in range(N_ODD):
        for binary in (True, False):
            settings = J48Settings(
                binary_splits=binary, confidence=SMALL_CONFIDENCES[number % 4], min_instances=1 + number % 3
            )
            yield Case(f"{number}{VALUELESS}", folds=(5, 3)[number % 2], seed=1, settings=settings)


@cache
def dataset_of(data: str) -> Dataset:
    """Return a shipped data set by its name, a generated one by its number."""
    if data.endswith(VALUELESS):
        return with_valueless(generated(int(data.removesuffix(VALUELESS))))
    return generated(int(data)) if data.isdecimal() else load_dataset(data)


def with_valueless(dataset: Dataset) -> Dataset:
    """Return a data set with one attribute more, declared as `{}`: all its cells are missing."""
    nothing = np.full(dataset.n_instances, MISSING, dtype=np.int32)
    return replace(
        dataset,
        attributes=(Attribute("nothing", "nominal"), *dataset.attributes),
        columns=(nothing, *dataset.columns),
        answer_position=dataset.answer_position + 1,
    )


def golden_answers() -> dict[str, dict[str, Any]]:
    """Return WEKA's stored answers by the names of the cases."""
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        return {answer["case"]: answer for answer in map(json.loads, lines)}


def our_answer(case: Case) -> dict[str, Any]:
    """Return what J48 says, in the words of the oracle."""
    dataset = dataset_of(case.data)
    try:
        tree = fit(dataset, case.settings)
    except GatreeError as error:
        return {"error": str(error)}
    answer: dict[str, Any] = {
        "tree": tree.to_text(),
        "leaves": tree.n_leaves,
        "size": tree.size,
        "train_correct": evaluate(tree, dataset).n_correct,
        "distribution": hashlib.sha256(tree.distribution(dataset).astype(">f8").tobytes()).hexdigest()[:16],
    }
    try:
        crossed = cross_validate(dataset, case.settings, case.folds, case.seed)
    except GatreeError as error:
        return {**answer, "cv_error": str(error)}
    return {
        **answer,
        "cv_correct": crossed.n_correct,
        "cv_unclassified": crossed.n_unclassified,
        "cv_confusion": crossed.confusion.tolist(),
    }


def differences(ours: dict[str, Any], wekas: dict[str, Any]) -> list[str]:
    """Return the keys in which two answers differ; of errors only that there is one."""
    keys = sorted((set(ours) | set(wekas)) - {"case", "checksum"})
    return [key for key in keys if _comparable(key, ours) != _comparable(key, wekas)]


def _comparable(key: str, answer: dict[str, Any]) -> Any:
    return key in answer if key.endswith("error") else answer.get(key)


def generated(number: int) -> Dataset:
    """Return a generated data set: nominal, numeric or mixed, clean or with all kinds of trouble."""
    draw = Draw(number)
    n_instances = draw.one_of(8, 14, 25, 40, 60, 90, 150, 240)
    n_classes = draw.one_of(2, 2, 2, 3, 3, 4, 6)
    missing_rate = draw.one_of(0.0, 0.0, 0.03, 0.15, 0.4)
    kinds = draw.one_of(("nominal",), ("numeric",), ("nominal", "numeric"), ("nominal", "numeric", "odd"))
    columns = [draw.column(draw.one_of(*kinds), n_instances) for _ in range(draw.one_of(1, 2, 3, 4, 5, 8))]
    if draw.chance(0.2):
        columns.append(columns[0])  # a copy: every gain is tied
    classes = draw.classes(columns, n_instances, n_classes)
    columns = [(kind, values, draw.with_missing(column, missing_rate)) for kind, values, column in columns]
    if draw.chance(0.15):
        classes = draw.with_missing(classes, 0.1)
    return Dataset(
        name=f"generated-{number}",
        attributes=tuple(
            Attribute(f"a{index}", "nominal", tuple(f"v{value}" for value in range(n_values)))
            if kind == "nominal"
            else Attribute(f"a{index}", "numeric")
            for index, (kind, n_values, _) in enumerate(columns)
        ),
        columns=tuple(column for _, _, column in columns),
        answer=Classes(
            Attribute("class", "nominal", tuple(f"c{label}" for label in range(n_classes))), classes
        ),
        answer_position=draw.below(len(columns) + 1),
    )


class Draw:
    """Everything random about a generated data set."""

    def __init__(self, number: int) -> None:
        self._random = random.Random(number).random

    def below(self, bound: int) -> int:
        return int(self._random() * bound)

    def one_of(self, *choices: Any) -> Any:
        return choices[self.below(len(choices))]

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def column(self, kind: str, n_instances: int) -> tuple[str, int, Column]:
        """Return a column, its kind, and the number of its values if nominal."""
        if kind == "odd":
            kind = self.one_of("constant", "many-valued", "almost-equal", "jittered", "huge")
        if kind in ("nominal", "many-valued"):
            n_values = n_instances // 2 if kind == "many-valued" else self.one_of(1, 2, 2, 3, 4, 7)
            lean = self.one_of(1.0, 1.0, 2.5)  # above one: early values are more frequent
            codes = [int(self._random() ** lean * n_values) for _ in range(n_instances)]
            return "nominal", n_values, np.array(codes, dtype=np.int32)
        step, levels = {
            "numeric": (self.one_of(1.0, 0.1, 0.25), self.one_of(3, 10, 100)),
            "constant": (1.0, 1),
            "almost-equal": (self.one_of(4e-7, 3e-6, 2e-5), 12),  # about WEKA's tolerances
            "jittered": (3e-5, 5),
            "huge": (1234567.0, 50),
        }[kind]
        jitter = (0.0, 4e-7, 8e-7, 1.3e-6) if kind == "jittered" else (0.0,)
        numbers = [
            round((self.below(levels) - levels // 3) * step + self.one_of(*jitter), 9)
            for _ in range(n_instances)
        ]
        return "numeric", 0, np.array(numbers)

    def classes(self, columns: list[Any], n_instances: int, n_classes: int) -> np.ndarray:
        """Return classes that depend on two columns, with noise; some are rare."""
        noise, skew = self.one_of(0.0, 0.1, 0.3, 1.0), self.one_of(1.0, 1.0, 3.0)
        first, second = self.one_of(*columns)[2], self.one_of(*columns)[2]
        median = np.sort(second)[n_instances // 2]
        labels = []
        for row in range(n_instances):
            told = math.floor(first[row] * 1.7) + 2 * (second[row] <= median)
            guess = int(self._random() ** skew * n_classes)
            labels.append(guess if self.chance(noise) else told % n_classes)
        return np.array(labels, dtype=np.int32)

    def with_missing(self, column: Column, rate: float) -> Column:
        gone = np.array([self.chance(rate) for _ in range(len(column))], dtype=bool)
        missing = np.nan if column.dtype.kind == "f" else -1
        return np.where(gone, missing, column).astype(column.dtype)
