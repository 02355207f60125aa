"""A call that a second process makes while this one goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Generic, TypeVar

from gatree.experiments.spawning import spawn

Result = TypeVar("Result")


class Meanwhile(Generic[Result]):
    """Calls a function of a module in a second process, which is gone at the end of the ``with`` block.

    Parameters
    ----------
    function : callable
        Found by its name, as pickles are, so no lambda.
    *arguments
        Sent over, as the result is sent back.
    """

    def __init__(self, function: Callable[..., Result], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments
        self._process, self._connection = spawn(_call, function, arguments)

    def __enter__(self) -> Meanwhile[Result]:
        return self

    def result(self) -> Result:
        """Wait for the result; if the second process had none, make the call here: we may, or say why."""
        try:
            result: Result = self._connection.recv()
        except (EOFError, OSError):
            return self._function(*self._arguments)
        return result

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()


def _call(connection: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    with suppress(Exception):  # whoever waits makes the call once more, and meets it
        connection.send(function(*arguments))
