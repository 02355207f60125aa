"""The settings of the search for small trees, shared by command line and estimators.

Each door has its own names for some of them. What the search derives from them for itself is in
`gatree.smalltree.settings`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from gatree.base.limits import LARGEST_SEED, MOST_INSTANCES, MOST_NODES, MOST_THREADS

MOST_LEAVES = 1024

Scoring = Literal["accuracy", "log_loss", "roc_auc"]

PositiveFinite = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, lt=1)]


class SmallTreeSettings(BaseModel):
    """What is searched: the best tree of every size, of which the data choose one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    size: Literal["auto"] | Annotated[int, Field(ge=1, le=MOST_LEAVES)] = Field(
        "auto", description="leaves of the tree: auto, chosen from the data; or N, the best of at most N"
    )
    size_rule: Literal["min", "1-se"] | NotNegative | None = Field(
        None,
        description="the size that is chosen: min, with the best cross-validation; 1-se or N, the smallest "
        "within one or N standard errors of it; by default within half of one and .7 points",
    )
    scoring: Scoring = Field(
        "accuracy",
        description="held-out figure by which the size is chosen; log_loss and roc_auc judge probabilities",
    )
    first: str | None = Field(None, description="column that the root tests")
    max_leaves: int | None = Field(
        None, ge=1, le=MOST_LEAVES, description="maximum leaves of the trees of which one is chosen"
    )
    max_depth: int | None = Field(None, ge=1, le=MOST_NODES, description="maximum number of tests on a path")
    min_leaf: Annotated[int, Field(ge=1, le=MOST_INSTANCES)] | Share | None = Field(
        None,
        description="minimum rows in a leaf, or their share; by default 1, or for numbers 5 or what does "
        "clearly better in cross-validation",
    )
    min_split: Annotated[int, Field(ge=2, le=MOST_INSTANCES)] | Share | None = Field(
        None, description="minimum rows at a test, or their share"
    )
    class_weight: dict[str, NotNegative] | Literal["balanced"] | None = Field(
        None, description="weight of a correct row of each class; balanced: equal totals for all classes"
    )
    shrinkage: Literal["auto"] | NotNegative = Field(
        "auto",
        description="how much the numbers or class probabilities of leaves are drawn towards those above: a "
        "node differs from the one above, of n rows, by n / (n + shrinkage) of its own difference; auto: 10, "
        "for numbers chosen with the size",
    )
    effort: PositiveFinite = Field(1.0, description="how much to search: 0.1 takes a tenth of the work")
    max_seconds: PositiveFinite | None = Field(
        None,
        description="end a search after this time with the best trees so far; only then the outcome depends "
        "on the machine",
    )
    n_jobs: int = Field(1, ge=1, le=MOST_THREADS, description="threads, which do not change the result")
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="seed of the search")
