"""The survey of data in pieces, by this process or by the workers of a Dask cluster, a file each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from gatree.data.formats import files_of
from gatree.data.pieces.survey import DataInPieces, survey
from gatree.settings.evolution_settings import EvolutionSettings


def load_in_pieces(
    pattern: str,
    class_name: str | None,
    drop_strings: bool,
    settings: EvolutionSettings,
    client: Any = None,
) -> DataInPieces:
    """Return the data of a file, or of all that a pattern names, surveyed.

    On a cluster the files have to be where the workers find them too, under the same absolute path.
    """
    paths, each = files_of(pattern), map
    if client is not None:
        paths, each = [str(Path(path).absolute()) for path in paths], _map_on(client)  # type: ignore[assignment]
    return survey(paths, class_name, settings.numeric_tests, drop_strings=drop_strings, each=each)


def _map_on(client: Any) -> Callable[..., Iterable[Any]]:
    def each(function: Callable[..., Any], *columns: Iterable[Any]) -> Iterable[Any]:
        found: Iterable[Any] = client.gather(client.map(function, *columns, pure=False))
        return found

    return each
