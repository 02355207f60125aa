"""One test of one attribute, and how it divides instances.

A nominal attribute is tested for one value, or gets a branch for every value; a numeric one is
compared with a threshold. Instances whose value is missing go down all branches in parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from gatree.j48.problem import J48Problem, Sample
from gatree.j48.tables import Floats, add_missing, shares_of, spread, tabulate


@dataclass(frozen=True, eq=False)
class Split:
    """A test and the table of the training instances that it was made from."""

    attribute: int
    kind: int
    threshold: float
    table: Floats

    @property
    def n_branches(self) -> int:
        return len(self.table) - 1

    @property
    def shares(self) -> Floats:
        """The part of an instance with a missing value that goes down each branch."""
        return shares_of(self.table)

    def tabulated(self, problem: J48Problem, sample: Sample, shares: Floats | None = None) -> Floats:
        """Return the table of other instances; missing values go by the shares, or by theirs."""
        column = problem.values[self.attribute]
        table = tabulate(
            column, problem.classes, *sample, self.kind, self.threshold, self.n_branches, problem.n_classes
        )
        add_missing(table, column, problem.classes, *sample, shares_of(table) if shares is None else shares)
        return table

    def redistributed(self, problem: J48Problem, sample: Sample) -> Split:
        """Return the same test with the table of other training instances."""
        return Split(self.attribute, self.kind, self.threshold, self.tabulated(problem, sample))

    def spread(self, problem: J48Problem, sample: Sample) -> list[Sample]:
        """Return the instances of every branch."""
        column = problem.values[self.attribute]
        starts, rows, weights = spread(column, *sample, self.kind, self.threshold, self.shares)
        return [Sample(rows[start:stop], weights[start:stop]) for start, stop in pairwise(starts.tolist())]
