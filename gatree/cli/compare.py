"""`gatree compare`: settings and baselines against each other, with statistics."""

from __future__ import annotations

from pathlib import Path

import click

from gatree.cli.completion import complete_by, complete_where
from gatree.cli.options import chosen_results, results_option


@click.command()
@click.option(
    "--by",
    required=True,
    metavar="SETTING",
    shell_complete=complete_by,
    help="What to compare: a setting that varies; method (evolution and baselines), evaluator or study.",
)
@click.option(
    "--metric",
    type=click.Choice(["accuracy", "size", "seconds", "savings"]),
    default="accuracy",
    show_default=True,
    help="What to compare it by: on test instances; nodes; of the timed seeds; instances spared, %.",
)
@click.option("--against", metavar="VALUE", help="What the others are compared with.  [default: the first]")
@click.option(
    "--where",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete_where,
    help="Only these rows of `gatree results`; may be repeated.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["md", "csv", "latex", "json"]),
    help="How to print.  [default: as fits the terminal; md if piped]",
)
@results_option
def compare(
    by: str,
    metric: str,
    against: str | None,
    where: tuple[str, ...],
    format_: str | None,
    results: Path | None,
) -> None:
    """Say which value of a setting, or which method, is better, and whether that can be chance.

    A row is a data set with one value of everything else that varies. It has means over folds and seeds
    with their 95 % confidence intervals, marked as in WEKA's Experimenter (v better, * worse) by the
    corrected resampled t-test. Over all rows: average ranks, win/tie/loss, Wilcoxon's signed-rank test.

    \b
    Examples:
      gatree compare --by x_factor --results results/mine
      gatree compare --by method --against j48 --metric size
      gatree compare --by evaluator --metric seconds --where mutation_rate=0.5
      gatree compare --by generation_gap --format csv > gaps.csv
    """
    from gatree.cli.output import print_csv
    from gatree.cli.terminal import print_document
    from gatree.experiments.read_rows import chosen_rows
    from gatree.report.contest.document import contest_document
    from gatree.report.contest.enter import contest_of

    rows = chosen_rows(chosen_results(results), where)
    document = contest_document(contest_of(rows, by, metric), against)
    if format_ == "csv":
        print_csv(document.records)
        for note in document.notes:
            click.echo(note, err=True)
    else:
        print_document(document, format_)
