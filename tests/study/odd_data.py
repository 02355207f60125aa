"""Data whose names are hostile to a page: markup, quotes, right-to-left text, a column called label."""

import numpy as np
import pandas as pd

EVIL = "<script>window.evil = 1</script>"
RTL = "\u05d2\u05d9\u05dc"


def odd_frame():
    rng = np.random.default_rng(7)
    n = 160
    x, label = rng.normal(size=n).round(3), rng.choice(["it's", '"q"', EVIL], n)
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D")
    late = day > pd.Timestamp("2023-06-01")
    wrong = rng.random(n) < 0.1
    y = np.where(((x > 0.3) & (label == "it's")) | (late & (x < 0)) ^ wrong, "</script>yes", "no & no")
    x[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"label": label, RTL: x, EVIL: rng.integers(0, 5, n), "day": day, "y": y})
