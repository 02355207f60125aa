"""The trees of every size that a default fit shows, compared with those of a search for one size.

A default fit shows a front. A search for one size (``--leaves 8``) spends all its work on it. A person who
picks a size on the page should lose nothing by that.
"""

from __future__ import annotations

import numpy as np

from bench.common import Options, Report, Row, progress
from bench.contenders import SHIPPED, data_of
from bench.interactions import CONCEPTS, NOISE
from gatree import SmallTreeClassifier

TITLE = "Trees of the default front compared with a search for one size"

COLUMNS = {
    "data": "data",
    "chosen": "chosen leaves",
    "at_chosen": "below, chosen size [points]",
    "mean": "below, mean of the sizes [points]",
    "most": "most",
    "at": "leaves there",
}

NOTES = """\
- Training accuracy of a search for exactly a size, less that of the default front's tree of at most this
  size: sizes {sizes}, and the chosen one. A negative number is a better tree of the front.
- Means of all rows: {mean:.3f} points over the sizes, {chosen:.3f} at the chosen size.
"""

_SIZES = (2, 3, 4, 6, 8, 12, 16)
_N_ROWS = 5_000


def measure(options: Options) -> Report:
    """Compare the sizes on the shipped data sets and on noisy interactions."""
    names = ("zoo", "xor") if options.quick else (*SHIPPED.names, *CONCEPTS)
    rows = [_row(name, 300 if options.quick else _N_ROWS) for name in names]
    facts = {key: float(np.mean([row[key] for row in rows])) for key in ("mean", "at_chosen")}
    notes = NOTES.format(sizes=", ".join(map(str, _SIZES)), mean=facts["mean"], chosen=facts["at_chosen"])
    return Report(rows, COLUMNS, notes=notes, facts=facts)


def _row(name: str, n_rows: int) -> Row:
    progress(f"given-sizes: {name}")
    X, y = CONCEPTS[name].rows(n_rows, 0, NOISE) if name in CONCEPTS else data_of(name)
    front = SmallTreeClassifier(random_state=0).fit(X, y)
    chosen = front.get_n_leaves()
    below = {}
    for size in sorted({*_SIZES, chosen}):
        shown = front.fronts_["evolved"]
        place = int(np.searchsorted(shown.leaves, size, side="right")) - 1
        searched = SmallTreeClassifier(size=size, random_state=0).fit(X, y).fronts_["evolved"]
        below[size] = 100 * float(searched.worth[-1] - shown.worth[place])
    of_sizes = {size: below[size] for size in _SIZES}
    at = max(of_sizes, key=lambda size: of_sizes[size])
    return {
        "data": name,
        "chosen": chosen,
        "at_chosen": below[chosen],
        "mean": float(np.mean(list(of_sizes.values()))),
        "most": of_sizes[at],
        "at": at,
    }
