"""How baselines are called in experiments and records; `gatree.experiments.baselines` has them."""

from typing import Literal

Baseline = Literal["j48", "j48-reduced-error", "cart", "majority", "front"]
