"""Every file is read as it was: names, kinds, readings, values, cells and notes, cell by cell."""

import json

import pytest
from data import frozen_readings

READINGS = json.loads(frozen_readings.TABLE.read_text(encoding="utf-8"))
DIGESTS = json.loads(frozen_readings.BUSINESS_TABLE.read_text(encoding="utf-8"))
BUSINESS = frozen_readings.business()


def plain(found):
    return json.loads(json.dumps(found))


@pytest.mark.parametrize("name", frozen_readings.files())
def test_a_file_of_the_project_reads_as_it_did(name):
    assert plain(frozen_readings.reading(frozen_readings.files()[name])) == READINGS[name]


@pytest.mark.parametrize("separator", frozen_readings.SEPARATORS)
def test_texts_of_all_kinds_read_as_they_did(separator, tmp_path):
    name = f"texts, {separator}"
    path = frozen_readings.generated(tmp_path)[name]
    assert plain(frozen_readings.reading(path)) == READINGS[name]


@pytest.mark.parametrize("name", BUSINESS)
def test_a_business_table_reads_as_it_did(name):
    """There are none where the folder next to the project is missing."""
    assert frozen_readings.digest_of(frozen_readings.reading(*BUSINESS[name])) == DIGESTS[name]


def test_the_table_is_complete():
    expected = {*frozen_readings.files(), *(f"texts, {name}" for name in frozen_readings.SEPARATORS)}
    assert set(READINGS) == expected
    assert set(BUSINESS) <= set(DIGESTS)
