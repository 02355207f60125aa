"""Values that JSON has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Scalar = bool | int | float | str | None

Json: TypeAlias = "Scalar | Sequence[Json] | Mapping[str, Json]"
