"""The colours of the page: every text has a contrast of at least 4.5 to 1, in light, in dark and in print."""

import re
from importlib.resources import files

import pytest

SERIES = [f"series-{n}" for n in range(8)]
PAIRS = [
    *((text, ground) for text in ("text", "dim", "accent", "warn") for ground in ("page", "card")),
    ("warn", "warn-page"),
    ("text", "heat-full"),
    ("card", "text"),  # the box that tells what a point is
    *((colour, "card") for colour in (*SERIES, "baseline-0", "baseline-1")),
]


def themes():
    """Return the colours in light, in dark and in print."""
    css = files("gatree.rendering").joinpath("templates", "theme.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", css)
    light, dark = ({name: colours[at] for name, *colours in pairs} for at in (0, 1))
    on_paper = dict(re.findall(r"--([\w-]+): (#\w+)", css.partition("@media print")[2]))
    return {"light": light, "dark": dark, "print": {**light, **on_paper}}


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    shares = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", themes())
def test_contrast(theme):
    colours = themes()[theme]
    found = {(one, other): contrast(colours[one], colours[other]) for one, other in PAIRS}
    assert {pair: ratio for pair, ratio in found.items() if ratio < 4.5} == {}


def test_series_can_be_told_apart():
    for colours in themes().values():
        assert len({colours[name] for name in SERIES}) == len(SERIES)
