"""`gatree compare`: settings or methods compared, with statistical tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gatree.cli.options import (
    chosen_results,
    complete_by,
    metric_option,
    results_option,
    where_option,
)
from gatree.cli.output import (
    print_csv,
    print_document,
)

if TYPE_CHECKING:
    pass


@click.command()
@click.option(
    "--by",
    metavar="SETTING",
    shell_complete=complete_by,
    help="What to compare: a setting that varies; method (evolution and baselines), evaluator or study.  "
    "[default: the first that varies]",
)
@metric_option("What to compare it by.")
@click.option(
    "--against", metavar="VALUE", help="The value that the others are compared with.  [default: the first]"
)
@where_option("Select rows of `gatree results`; repeatable.")
@click.option(
    "--published",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Published numbers to show next to ours: a CSV file with dataset, method, metric, value.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["md", "csv", "latex", "json"]),
    help="Output format.  [default: a table for the terminal; md if piped]",
)
@results_option
def compare(
    by: str | None,
    metric: str | None,
    against: str | None,
    where: tuple[str, ...],
    published: Path | None,
    format_: str | None,
    results: Path | None,
) -> None:
    """Compare the values of a setting, or methods, with statistical tests.

    A row is a data set with one value of everything else that varies. It has means over folds and seeds
    with their standard errors, marked as in WEKA's Experimenter (v better, * worse): paired fold by fold by
    the corrected resampled t-test, or Welch's between seeds. Over the data sets: average ranks,
    win/tie/loss, Wilcoxon's signed-rank test, for more than two Friedman's test and Holm's correction, and
    the effect size A12. The lines under the table name what was used.

    \b
    Examples:
      gatree compare
      gatree compare --by x_factor --results results/mine
      gatree compare --by method --against j48 --metric size
      gatree compare --by evaluator --metric seconds --where mutation_rate=0.5
      gatree compare --by generation_gap --format csv > gaps.csv
      gatree compare --by method --results results/chessboard --published configs/chessboard.csv
    """
    from gatree.experiments.frame import chosen_rows, frame
    from gatree.report.comparison import comparison_of, first_comparison
    from gatree.report.comparison_document import comparison_document, read_published
    from gatree.report.metrics import first_metric

    rows = chosen_rows(frame(chosen_results(results)), where, keeps_baselines=True)
    if by is None:
        comparison, more = first_comparison(rows, metric)
        also = f"; also varied: {', '.join(more)} (--by)" if more else ""
        alone = ": nothing else varies" if comparison.by == "evaluator" else ""
        click.echo(f"comparing by {comparison.by}{alone}{also}", err=True)
    else:
        shown = metric or ("seconds" if by == "evaluator" else first_metric(rows))
        comparison = comparison_of(rows, by, shown)
    others = read_published(published, comparison.metric) if published else {}
    document = comparison_document(comparison, against, others)
    if format_ == "csv":
        print_csv(document.records)
        for note in document.notes:
            click.echo(note, err=True)
    else:
        print_document(document, format_)
