"""`gatree example`, `gatree theory` and `gatree calibrate`: the paper's example, theory and settings."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tabulate import tabulate

from gatree.base.errors import ResultError
from gatree.cli.options import own_results_option
from gatree.cli.output import print_document

if TYPE_CHECKING:
    from gatree.data.dataset import Dataset
    from gatree.paper.theory_check import Line
    from gatree.paper.worked_example import Branch, Example, Scored

_MARK = "*"


@click.command()
def example() -> None:
    """Walk through the paper's worked example of lossless inheritance (Section 3.1).

    Two trees are crossed; only the instances below the exchanged branches are classified again.

    \b
    Example:
      gatree example
    """
    from gatree.paper.worked_example import sample_data, worked_example

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


_DEPTHS = (1, 2, 3, 5, 8, 11)
_HEADERS = ("tree", "depth", "nodes", "R", "R paper", "R'", "R' paper", "saved %")


@click.command()
@click.option(
    "--depth",
    "depths",
    type=click.IntRange(1, 10_000),
    multiple=True,
    metavar="K ...",
    help="Depths of the trees.  [default: 1 2 3 5 8 11]",
)
@click.argument("more_depths", type=click.IntRange(1, 10_000), nargs=-1, metavar="")
@click.option("--check", is_flag=True, help="Build the trees and let the `new` evaluator count.")
def theory(depths: tuple[int, ...], more_depths: tuple[int, ...], check: bool) -> None:
    """Print the savings of fitness inheritance that Eqs. 2-15 of the paper predict.

    R is the cost of an evaluation with inheritance over that without, averaged over the stale
    node, when every instance is charged its way from the root; R' when it is charged only what lies
    below the stale node, as the evaluators do. "saved" is 1 - R', in node-instance-checks.

    \b
    Examples:
      gatree theory
      gatree theory --depth 3 8 --check
    """
    from gatree.paper.theory import THEORY_ERRATA
    from gatree.paper.theory_check import lines

    found = lines(sorted({*depths, *more_depths}) or _DEPTHS, check)
    headers = (*_HEADERS, "R counted", "R' counted", "check") if check else _HEADERS
    cells = [_row(line, check) for line in found]
    click.echo(tabulate(cells, headers=headers, tablefmt="github", disable_numparse=True))
    click.echo("\nWhere the paper is wrong:")
    for erratum in THEORY_ERRATA:
        click.echo(f"- {erratum}")
    wrong = [f"{line.shape.name} {line.k}" for line in found if not line.agrees]
    if wrong:
        raise ResultError(f"the evaluator's count differs from the theory for: {', '.join(wrong)}")


def _row(line: Line, check: bool) -> list[str]:
    shape, k = line.shape, line.k
    row = [
        shape.name,
        str(k),
        str(shape.n_nodes(k)) if k <= 40 or shape.name != "complete" else f"2^{k + 1}-1",
        _number(shape.from_root(k)),
        _number(shape.paper_from_root(k) if shape.paper_from_root else None),
        _number(shape.below(k)),
        _number(shape.paper_below(k) if shape.paper_below else None),
        f"{100 * float(1 - shape.below(k)):.2f}",
    ]
    if not check:
        return row
    if line.counted is None:
        return [*row, "—", "—", "too large to build"]
    verdict = "equal" if line.agrees else "DIFFERS"
    return [*row, _number(line.counted.from_root), _number(line.counted.below), verdict]


def _number(value: Fraction | None) -> str:
    return "—" if value is None else f"{float(value):.4f}"


@click.command()
@click.option(
    "--config",
    default="original",
    show_default=True,
    metavar="FILE",
    help="The calibration: a YAML file, or the included one: original.",
)
@click.option(
    "--runs",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="CSV",
    help="Runs of the original program, for targets that compare with them; left out without it.",
)
@click.option(
    "--choose-by",
    metavar="TARGET",
    help="The target that selects the candidate.  [default: that of the file]",
)
@own_results_option("Folder of the results, which go to DIR/NAME.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of worker processes [default: the number of cores].",
)
@click.option(
    "--format", "format_", type=click.Choice(["md", "csv", "json"]), default="md", show_default=True
)
def calibrate(
    config: str, runs: Path | None, choose_by: str | None, results: Path, jobs: int | None, format_: str
) -> None:
    """Run candidate settings, score them against published numbers, and select one.

    The file lists candidates and targets. One target selects the candidate; the others are held out and only
    reported, as is the selection without each data set or table. Finished cells are not run again. The table
    goes to stdout, and with a figure into the folder of results.

    \b
    Examples:
      gatree calibrate
      gatree calibrate --runs original_runs.csv --choose-by runs
      gatree calibrate --config my.yaml --format csv > candidates.csv
    """
    from gatree.base.machine import n_cores
    from gatree.cli.run import FAILED_CELLS, find_config, run_with_progress
    from gatree.experiments.run import Plan
    from gatree.paper.calibration import document, figure, matches, read_runs, result_of
    from gatree.paper.calibration_plan import read_calibration
    from gatree.paper.tables import read_results
    from gatree.rendering.documents import FORMATS
    from gatree.rendering.figures import save

    calibration = read_calibration(find_config(config, "calibrations"), choose_by, has_runs=runs is not None)
    original = read_runs(runs) if runs else None
    plan = Plan.of(calibration.experiment())
    progress = run_with_progress(plan, results, jobs or n_cores())
    _, records = read_results(plan.folder(results))
    result = result_of(calibration, matches(calibration, records, original))
    table, folder = document(result), plan.folder(results)
    for name in ("md", "csv", "json"):
        (folder / f"candidates.{name}").write_text(FORMATS[name][1](table), encoding="utf-8")
    save(lambda: figure(result), folder, "candidates")
    print_document(table, format_)
    click.echo(f"written: {folder / 'candidates'}.md, .csv, .json, .svg, .png", err=True)
    if progress.n_failed:
        click.get_current_context().exit(FAILED_CELLS)
