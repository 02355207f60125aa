"""Plot fronts: accuracy against size, on the training data and in cross-validation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gatree.base.errors import DataError
from gatree.base.extras import extras
from gatree.trees.plot import current_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_fronts(fronts: Any, ax: Axes | None = None, file: str | Path | None = None) -> Axes:
    """Draw the accuracy, or R2, of the best trees of every size.

    Parameters
    ----------
    fronts : dict of Front, or fitted GATreeClassifier or GATreeRegressor
        The result of `fit_front`, or an estimator that chose its size; the choice is marked.
    ax : matplotlib Axes, optional
        The axes to draw on; by default pyplot's current axes, which are cleared, as in scikit-learn.
    file : path, optional
        The file to save, as PNG, SVG or PDF by its suffix; without ``ax`` a separate figure is saved.

    Returns
    -------
    matplotlib Axes
    """
    found: dict[str, Any] | None = getattr(fronts, "fronts_", fronts if isinstance(fronts, dict) else None)
    if found is None:
        raise DataError(
            "there are no fronts to draw: the estimator is not fitted, or its size was not chosen"
        )
    with extras():
        from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
    if ax is None and file is None:
        ax = current_figure().gca()
        ax.clear()
    elif ax is None:
        with extras():
            from matplotlib.figure import Figure  # not pyplot: no window, no global state, nothing to close

        ax = Figure(figsize=(6.4, 4.4), layout="constrained").subplots()
    for color, (name, front) in enumerate(found.items()):
        ax.step(front.leaves, front.worth, where="post", color=f"C{color}", label=f"{name}, training data")
        if front.proven.any():
            at = front.leaves[front.proven], front.worth[front.proven]
            ax.plot(*at, "o", color=f"C{color}", markersize=4, label=f"{name}, proven to be the best")
        if front.validated is not None:
            label = f"{name}, cross-validated"
            ax.plot(front.leaves, front.validated, "--", color=f"C{color}", linewidth=1, label=label)
    if hasattr(fronts, "tree_"):
        ax.axvline(fronts.tree_.n_leaves, color="0.6", linewidth=1, label="chosen")
    ax.set(xlabel="leaves", ylabel=next(iter(found.values())).measure, xscale="log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.grid(visible=True, alpha=0.3)
    ax.legend(frameon=False)
    if file is not None:
        ax.get_figure(root=True).savefig(file)  # type: ignore[union-attr]  # these axes have one
    return ax
