"""`gatree warm-up`: compile the kernels ahead, so that no later command waits for them."""

from __future__ import annotations

import sys
import time

import click


@click.command("warm-up")
def warm_up() -> None:
    """Compile the kernels ahead, so that no command has to wait for them.

    Compiled code is kept for all later commands; after an update this is worth doing again. Without it
    the first command of each kind compiles what it needs, and says so.

    \b
    Example:
      gatree warm-up
    """
    from gatree.cli.compile_ahead import Step, kernels_to_compile
    from gatree.cli.output import duration
    from gatree.kernels.events import tell

    def name_of(step: Step | None) -> str:
        return step.name if step else ""

    tell(lambda _: None)  # the bar says it
    click.echo("compiling the kernels, which takes two or three minutes if none is there yet", err=True)
    started = time.monotonic()
    with click.progressbar(kernels_to_compile(), file=sys.stderr, item_show_func=name_of) as steps:
        for step in steps:
            step.compile()
    click.echo(f"all kernels are there, after {duration(time.monotonic() - started)}", err=True)
