"""`gatree example`: the paper's worked example (Section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from tabulate import tabulate

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.paper.theory_check import Branch, Example, Scored

_MARK = "*"


@click.command()
def example() -> None:
    """Walk through the paper's worked example of lossless inheritance (Section 3.1).

    Two trees are crossed; only the instances below the exchanged branches are classified again.

    \b
    Example:
      gatree example
    """
    from gatree.paper.theory_check import sample_data, worked_example

    data = sample_data()
    for part in _parts(data, worked_example()):
        click.echo(part)
        click.echo()


def _parts(data: Dataset, shown: Example) -> list[str]:
    ledger = shown.ledger
    figure_2 = f"""\
2. Two trees (Figure 2). Left branches are for N; a wrongly classified instance is in (brackets);
   {_MARK} marks the branch chosen for crossover."""
    before = f"""\
   Fitness (Eq. 1, x = 1; accuracy as correct instances, size as leaves), branch by branch;
   {_MARK} marks what the crossover makes stale:"""
    saved = f"""\
   instances classified again    {ledger.instances_reclassified} of {ledger.instances_total}
   node-instance-checks made     {ledger.node_instance_checks} of {ledger.node_instance_checks_full}"""
    return [
        "1. The data (Table 2)",
        _data_table(data),
        figure_2,
        *(_drawn(tree, data) for tree in shown.parents),
        before,
        "\n".join(f"   {_fitness(tree)}" for tree in shown.parents),
        "3. The two marked branches are exchanged (Figure 3; redundant nodes are not collapsed).",
        *(_drawn(tree, data) for tree in shown.children),
        f"   Only the marked branches had to be computed again ({_MARK}); the rest is inherited:",
        "\n".join(f"   {_fitness(tree)}" for tree in shown.children),
        "4. The ledger of the two children",
        saved,
    ]


def _data_table(data: Dataset) -> str:
    every = [*data.columns, data.classes]
    rows = [[f"I{i + 1}", *("NY"[column[i]] for column in every)] for i in range(data.n_instances)]
    headers = ["", *(attribute.name for attribute in data.attributes), data.class_attribute.name]
    return _indented(tabulate(rows, headers, tablefmt="plain"))


def _drawn(scored: Scored, data: Dataset) -> str:
    tree = scored.tree
    lines = [scored.name]
    for node, level in enumerate(tree.depths()):
        branch = 0 if node < tree.right(0) else 1
        mark = f" {_MARK}" if level == 1 and scored.branches[branch].recomputed else ""
        side = "" if node == 0 else ("N: " if _is_left(scored, node) else "Y: ")
        lines.append(f"{'    ' * level}{side}{_node(scored, node, data)}{mark}")
    return _indented("\n".join(lines))


def _is_left(scored: Scored, node: int) -> bool:
    return not scored.tree.is_leaf(node - 1)  # in preorder a left child directly follows its parent


def _node(scored: Scored, node: int, data: Dataset) -> str:
    tree = scored.tree
    if not tree.is_leaf(node):
        return f"{data.attributes[tree.attribute[node]].name}?"
    predicted = tree.value[node]
    there = [f"I{i + 1}" if data.classes[i] == predicted else f"(I{i + 1})" for i in scored.instances[node]]
    label: str = data.class_values[predicted]
    return f"{label}   {' '.join(there)}".rstrip()


def _fitness(scored: Scored) -> str:
    correct = " + ".join(_term(branch, branch.n_correct) for branch in scored.branches)
    leaves = " + ".join(_term(branch, branch.n_leaves) for branch in scored.branches)
    value = f"{scored.n_correct**2}/{scored.tree.n_leaves**2 + 1}"
    return f"F{scored.name[1:]} = ({correct})^2 * 1 / (({leaves})^2 + 1) = {value}"


def _term(branch: Branch, number: int) -> str:
    return f"{number}{_MARK}" if branch.recomputed else str(number)


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())
