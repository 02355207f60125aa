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


def blocks():
    """Return the colours of each block of the style sheet that sets them."""
    css = files("gatree.rendering").joinpath("templates", "theme.css").read_text(encoding="utf-8")
    found = re.findall(r"([^{}]*)\{([^{}]*--page:[^{}]*)\}", css)
    return {
        head.strip().splitlines()[-1].strip(): dict(re.findall(r"--([\w-]+): (#\w+)", body))
        for head, body in found
    }


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    shares = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_formula():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#fff") == pytest.approx(4.48, abs=0.005)


def test_there_are_four_blocks_with_the_same_names():
    first, *others = blocks().values()
    assert len(others) == 3
    assert all(other.keys() == first.keys() for other in others)


@pytest.mark.parametrize("block", blocks())
def test_contrast(block):
    colours = blocks()[block]
    found = {(one, other): contrast(colours[one], colours[other]) for one, other in PAIRS}
    assert {pair: ratio for pair, ratio in found.items() if ratio < 4.5} == {}


def test_series_can_be_told_apart():
    for colours in blocks().values():
        assert len({colours[name] for name in SERIES}) == len(SERIES)
