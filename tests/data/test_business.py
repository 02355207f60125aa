"""Tables as people have them: each is read as a person expects (see the README next to the files)."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from gatree.base.errors import DataError
from gatree.data.answer import Numbers
from gatree.data.dataset import Table
from gatree.data.load import read
from gatree.data.source import ReadOptions

FOLDER = Path(__file__).parents[3] / "shared" / "business"


def column(table: Table, name: str) -> np.ndarray:
    return table.columns[table.position(name)]


def kinds(table: Table) -> dict[str, str]:
    return {each.name: "date" if each.date_format else each.kind for each in table.attributes}


def day(year: int, month: int, number: int) -> float:
    return datetime(year, month, number, tzinfo=UTC).timestamp() * 1000


def agreement(table: Table, rule: np.ndarray, positive: str) -> float:
    """Return the share of the rows that the planted rule gets right; a missing value fulfils no condition."""
    dataset = table.dataset()
    return float(np.mean((dataset.classes == dataset.class_values.index(positive)) == rule))


def test_american_orders():
    table = read(FOLDER / "orders_us.csv")
    assert kinds(table) == {
        "order_no": "nominal",
        "ordered": "date",
        "amount": "numeric",
        "discount": "numeric",
        "region": "nominal",
        "returned": "nominal",
    }
    assert table.attributes[1].date_format == "MM/dd/yyyy"
    rule = (column(table, "amount") > 1000) & (column(table, "discount") < 20)
    assert agreement(table, rule, "yes") > 0.93
    assert table.notes == (
        "ordered: dates (MM/dd/yyyy)",
        "amount: numbers ('$' and ',' left out; 'N/A' and '-' are missing)",
        "discount: numbers ('%' left out)",
    )


def test_german_orders():
    table = read(FOLDER / "orders_eu.csv")
    assert table.attributes[1].date_format == "dd.MM.yyyy"
    rule = (column(table, "Datum") > day(2022, 9, 1)) & (column(table, "Betrag") > 500)
    assert agreement(table, rule, "yes") > 0.93
    assert kinds(table)["Rabatt"] == "numeric"


def test_houses_are_a_regression_with_an_index():
    table = read(FOLDER / "houses.csv")
    dataset = table.dataset(regression=None)
    assert isinstance(dataset.answer, Numbers)
    assert table.names[0] == "column1"
    assert column(table, "balance").min() < 0 < column(table, "balance").max()


def test_staff_with_missing_values_in_eight_ways():
    table = read(FOLDER / "staff.csv")
    assert table.names[0] == "Employee"
    assert kinds(table) | {"Since": "date", "Age": "numeric", "Salary": "numeric"} == kinds(table)
    rule = (column(table, "Salary") < 40_000) & (column(table, "Age") < 35)
    assert agreement(table, rule, "yes") > 0.93


@pytest.mark.parametrize(
    ("file", "names"), [("no_header.csv", ("column1", "column2")), ("utf16.csv", ("a", "b"))]
)
def test_no_header_and_utf_16(file, names):
    table = read(FOLDER / file)
    rule = (column(table, names[0]) > 5) & (column(table, names[1]) < 60)
    assert agreement(table, rule, "yes") > 0.9
    assert any("has no header" in note for note in table.notes) == (file == "no_header.csv")
    assert table.n_rows == 800


def test_dates_whose_order_another_column_shows():
    table = read(FOLDER / "deals.csv")
    assert [each.date_format for each in table.attributes[:3]] == [
        "dd/MM/yyyy",
        "dd/MM/yyyy",
        "yyyy-MM-dd'T'HH:mm:ssXXX",
    ]
    assert agreement(table, column(table, "closed") > day(2023, 8, 1), "yes") > 0.9
    assert "opened: dates (dd/MM/yyyy, as closed shows)" in table.notes


def test_a_sheet_of_excel():
    pytest.importorskip("openpyxl", reason="the extra excel is not installed")
    with pytest.raises(DataError, match="sheets are: Notes, Customers; choose one with --sheet"):
        read(FOLDER / "customers.xlsx")
    table = read(FOLDER / "customers.xlsx", ReadOptions(sheet="Customers"))
    assert kinds(table)["joined"] == "date"
    plan = table.attributes[table.position("plan")]
    rule = (column(table, "income") < 45_000) & (column(table, "plan") != plan.values.index("pro"))
    assert agreement(table, rule, "yes") > 0.9
