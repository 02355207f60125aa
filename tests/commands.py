"""Commands in this process, as click runs them for tests."""

import json

from click.testing import CliRunner

from gatree.cli.main import cli


def run(*arguments, code=0, **options):
    """Run `gatree`, and check how it ends; a code of None: in any way."""
    result = CliRunner().invoke(cli, [*map(str, arguments)], prog_name="gatree", **options)
    assert code in (None, result.exit_code), (result.output, result.exception)
    return result


def printed(*arguments):
    """Return the JSON that a command prints."""
    return json.loads(run(*arguments, "--json").stdout)
