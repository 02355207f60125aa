"""Random trees over hostile names: every program that a tree is exported as predicts what the tree does.

The programs run for real: Python, SQLite, DuckDB, onnxruntime. A tree is a dict of names and a seed, so that
it can be made smaller and kept as a file.
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import onnxruntime

from fuzz.random_data import Case
from gatree.base.errors import DataError
from gatree.data.answer import Classes
from gatree.data.attribute import Attribute
from gatree.data.coding import code
from gatree.data.dataset import Dataset
from gatree.trees.genome import Tree
from gatree.trees.model import DecisionTree

WORDS = (
    "label", "probabilities", "_codes", "_code_0", "codes", "code_0", "label_", "attribute_0", "row", "text",
    "at_most", "predict", "", " ", "a", "A", "a ", "it's", '"', "'", "`", "]", "\\", "\\'", "\n", "--", "/*",
    "*/", ";", "%s", "{0}", "{", "?", ":a", "$1", "select", "NULL", "None", "nan", "True", "False", "0", "1",
    "1.0", "01", "é", "e\u0301", "\U0001d11e", "\x1b[0m", "\u2028", "\x00", "x" * 300, "rowid", "class",
)  # fmt: skip
_NUMBERS = (0.0, -0.0, 1.0, 0.1, 0.30000000000000004, 1e-300, 5e-324, 1e300, 1.7976931348623157e308, 2.0**53,
            -1.0, -1e300, np.inf, -np.inf)  # fmt: skip
_LEVELS = 5


def draw(rng: random.Random) -> Case:
    """Return a random tree: one to four attributes, nominal ones with their values."""
    names = rng.sample(WORDS, rng.randint(2, 5))
    return {
        "seed": rng.randrange(2**32),
        "n_rows": 60,
        "attributes": [
            {"name": name, "values": rng.sample(WORDS, rng.randint(0, 4)) if rng.random() < 0.6 else None}
            for name in names[1:]
        ],
        "class": {"name": names[0], "values": rng.sample(WORDS, rng.randint(1, 3))},
    }


def run(case: Case) -> None:
    """Predict with every export; raise an AssertionError where one differs from the tree."""
    rng = np.random.default_rng(case["seed"])
    dataset = _dataset(case, rng)
    coding = code(dataset, "observed")
    tree = DecisionTree.of(Tree.nested(_shape(rng, coding.n_tests, dataset.n_classes, 0)), coding, dataset)
    wanted = [tree.class_values[index] for index in tree.predict(dataset)]
    cells = [_cells(*pair) for pair in zip(dataset.attributes, dataset.columns, strict=True)]
    rows = list(zip(*cells, strict=True))
    for program in (by_python, by_sqlite, by_duckdb, by_onnx):
        try:
            found = program(tree, rows)
        except DataError:
            continue  # a NUL character in SQL or ONNX
        assert found is None or found == wanted, program.__name__


def _dataset(case: Case, rng: np.random.Generator) -> Dataset:
    n, attributes, columns = case["n_rows"], [], []
    for given in case["attributes"]:
        if given["values"] is None:
            attributes.append(Attribute(given["name"], "numeric"))
            columns.append(rng.choice([*_NUMBERS, *rng.normal(size=8), np.nan], n))
        else:
            attributes.append(Attribute(given["name"], "nominal", tuple(given["values"])))
            columns.append(rng.integers(-1, len(given["values"]), n).astype(np.int32))
    classes = Attribute(case["class"]["name"], "nominal", tuple(case["class"]["values"]))
    labels = rng.integers(0, len(classes.values), n).astype(np.int32)
    return Dataset("random", tuple(attributes), tuple(columns), Classes(classes, labels), len(attributes))


def _shape(rng: np.random.Generator, n_tests: np.ndarray, n_classes: int, level: int) -> Any:
    testable = np.flatnonzero(n_tests)
    if level == _LEVELS or not len(testable) or rng.random() < 0.15:
        return int(rng.integers(n_classes))
    attribute = int(rng.choice(testable))
    below = [_shape(rng, n_tests, n_classes, level + 1) for _ in range(2)]
    return (attribute, int(rng.integers(n_tests[attribute])), *below)


def _cells(attribute: Attribute, column: np.ndarray) -> list[Any]:
    if attribute.is_nominal:
        return [attribute.values[index] if index >= 0 else None for index in column]
    return [None if np.isnan(number) else float(number) for number in column]


def by_python(tree: DecisionTree, rows: list[tuple[Any, ...]]) -> list[str]:
    scope: dict[str, Any] = {}
    exec(tree.to_python(), scope)
    names = [attribute.name for attribute in tree.attributes]
    return [scope["predict"](dict(zip(names, row, strict=True))) for row in rows]


def by_sqlite(tree: DecisionTree, rows: list[tuple[Any, ...]]) -> list[str] | None:
    with closing(sqlite3.connect(":memory:")) as database:
        return _by_sql(database, tree, rows, "sqlite", sqlite3.Error)


def by_duckdb(tree: DecisionTree, rows: list[tuple[Any, ...]]) -> list[str] | None:
    with closing(duckdb.connect()) as database:
        return _by_sql(database, tree, rows, "duckdb", duckdb.Error)


def _by_sql(
    database: Any, tree: DecisionTree, rows: list[tuple[Any, ...]], dialect: str, error: type[Exception]
) -> list[str] | None:
    """Return the classes, or None if the database has no columns of these names."""
    query = tree.to_sql(dialect, table="in puts")
    columns = [
        '"' + attribute.name.replace('"', '""') + ('" VARCHAR' if attribute.is_nominal else '" DOUBLE')
        for attribute in tree.attributes
    ]
    try:
        database.execute(f'CREATE TABLE "in puts" ({", ".join([*columns, "row_number INTEGER"])})')
    except error:
        return None  # an empty name, or two that differ in case only
    marks = ", ".join("?" * (len(columns) + 1))
    database.executemany(
        f'INSERT INTO "in puts" VALUES ({marks})', [(*row, number) for number, row in enumerate(rows)]
    )
    return [row[-1] for row in database.execute(f"{query} ORDER BY row_number").fetchall()]


def by_onnx(tree: DecisionTree, rows: list[tuple[Any, ...]]) -> list[str]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(tree.to_onnx().SerializeToString(), options)
    feeds = {}
    for put, attribute, cells in zip(
        session.get_inputs(), tree.attributes, zip(*rows, strict=True), strict=True
    ):
        assert put.name == attribute.name or not attribute.name
        if attribute.is_nominal:
            known = [_unlike(attribute.values) if cell is None else cell for cell in cells]
            feeds[put.name] = np.array([[cell] for cell in known], dtype=object)
        else:
            feeds[put.name] = np.array([[np.nan if cell is None else cell] for cell in cells])
    found: list[str] = session.run([session.get_outputs()[0].name], feeds)[0].tolist()
    return found


def _unlike(values: tuple[str, ...]) -> str:
    """Return a text that is none of the values: a missing one."""
    return "-".join(values) + "-"


def smaller(case: Case) -> list[Case]:
    """Return trees that are simpler than this one in one thing."""
    given, found = case["attributes"], []
    if case["n_rows"] > 1:
        found += [{**case, "n_rows": n} for n in (1, case["n_rows"] // 2)]
    for index, attribute in enumerate(given):
        if len(given) > 1:
            found.append({**case, "attributes": given[:index] + given[index + 1 :]})
        if attribute["name"] != f"x{index}":
            renamed = {**attribute, "name": f"x{index}"}
            found.append({**case, "attributes": [*given[:index], renamed, *given[index + 1 :]]})
    if case["class"]["name"] != "y":
        found.append({**case, "class": {**case["class"], "name": "y"}})
    return found


WARM_UP: list[Case] = []
