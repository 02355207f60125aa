"""How a column was read, as JSON keeps it."""

import json

import pytest

from gatree.data.attribute import Reading


def test_json_keeps_a_reading() -> None:
    reading = Reading("number", ",", ".", ("€", "%"), ("N/A",))
    assert Reading.from_dict(json.loads(json.dumps(reading.as_dict()))) == reading
    assert Reading("date", pattern="dd.MM.yyyy").as_dict() == {
        "kind": "date",
        "decimal": ".",
        "pattern": "dd.MM.yyyy",
    }


@pytest.mark.parametrize(
    "noted", [{"kind": "text"}, {}, {"kind": "number", "missing": [1]}, {"kind": "date", "x": 1}]
)
def test_what_is_no_reading_is_refused(noted: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        Reading.from_dict(noted)
