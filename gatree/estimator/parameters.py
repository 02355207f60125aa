"""The parameters of an estimator, derived from a model: signature, documentation and check."""

from __future__ import annotations

import collections.abc
import textwrap
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from numbers import Integral
from types import NoneType
from typing import Annotated, Literal, TypeVar, get_args, get_origin

import numpy as np
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from sklearn.utils import check_random_state

from gatree.base.errors import SettingError, did_you_mean
from gatree.base.machine import n_cores
from gatree.settings.gone import GONE
from gatree.settings.validation import validated

_PARAMETERS = {  # scikit-learn's names
    "costs": "cost_matrix",
    "max_leaves": "max_leaf_nodes",
    "min_leaf": "min_samples_leaf",
    "min_split": "min_samples_split",
    "monotonic": "monotonic_cst",
    "seed": "random_state",
}

Estimator = TypeVar("Estimator", bound=type)
Model = TypeVar("Model", bound=BaseModel)


def parameter_of(setting: str) -> str:
    """Return the parameter for a setting."""
    return _PARAMETERS.get(setting, setting)


def with_parameters(
    model: type[BaseModel], defaults: Mapping[str, object] | None = None, left_out: Sequence[str] = ()
) -> Callable[[Estimator], Estimator]:
    """Return a decorator that gives a class its parameters: the fields of a model.

    ``defaults`` are values in place of the model's; ``left_out`` are settings without a parameter. The
    parameters' documentation replaces ``{parameters}`` in the class's.
    """
    values = {**(defaults or {}), "seed": None, "n_jobs": None}
    fields = {name: field for name, field in model.model_fields.items() if name not in left_out}
    names = {setting: parameter_of(setting) for setting in fields}
    own = {name: values.get(setting, fields[setting].default) for setting, name in names.items()}

    def __init__(self: object, **given: object) -> None:  # noqa: N807
        if unknown := [name for name in given if name not in own]:
            raise TypeError(_refusal(type(self).__name__, unknown[0], own))
        self.__dict__.update({**own, **given})

    __init__.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter("self", Parameter.POSITIONAL_OR_KEYWORD),
            *(Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in own.items()),
        ]
    )

    def decorate(estimator: Estimator) -> Estimator:
        about = [_documented(name, fields[setting], own[name]) for setting, name in names.items()]
        estimator.__doc__ = (estimator.__doc__ or "").replace("    {parameters}\n", "".join(about))
        estimator.__init__ = __init__  # type: ignore[misc]
        return estimator

    return decorate


def _refusal(estimator: str, name: str, known: Mapping[str, object]) -> str:
    """Return why an estimator does not take a parameter."""
    if name in GONE:
        return f"{name}: {GONE[name]}"
    return f"{estimator} has no parameter {name!r}{did_you_mean(name, known)}"


def _documented(name: str, field: FieldInfo, default: object) -> str:
    kind = "int, RandomState instance or None" if name == "random_state" else _kind(field.annotation)
    value = f'"{default}"' if isinstance(default, str) else default
    text = f"{field.description}."
    lines = textwrap.wrap(text[:1].upper() + text[1:], 100, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return "\n".join([f"    {name} : {kind}, default={value}", *lines, ""])


def _kind(annotation: object) -> str:
    """Return what values a field takes."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return " or ".join(f'"{word}"' for word in get_args(annotation))
    if get_origin(annotation) is collections.abc.Callable:
        return "callable"
    if parts := [part for part in get_args(annotation) if part is not NoneType]:
        if get_origin(annotation) is dict:
            return "dict"
        kinds = dict.fromkeys(_kind(part) for part in parts)
        return " or ".join(kinds)
    name = str(getattr(annotation, "__name__", annotation))
    return {"XFactor": "float or str", "Any": "object"}.get(name, name)


def checked(estimator: object, model: type[Model], **values: object) -> Model:
    """Return an estimator's parameters as its model, or raise a SettingError.

    ``values`` are settings in place of parameters.
    """
    names = [name for name in model.model_fields if hasattr(estimator, parameter_of(name))]
    given = {name: _plain(getattr(estimator, parameter_of(name))) for name in names}
    if "seed" in given:
        given["seed"] = _seed(given["seed"])
    if "n_jobs" in given:
        given["n_jobs"] = _n_threads(given["n_jobs"])
    return validated(model, given | values)


def _seed(random_state: object) -> int:
    """Return the seed that scikit-learn's parameter means; an integer is itself the seed."""
    if isinstance(random_state, int):
        return random_state
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError as error:
        raise SettingError.of("seed", str(error)) from None


def _plain(value: object) -> object:
    """Return Python's own number for one of numpy's."""
    return value.item() if isinstance(value, np.generic) else value


def _n_threads(n_jobs: object) -> object:
    """Return the number of threads; -1 is one per core, as in scikit-learn."""
    if n_jobs is None:
        return 1
    return max(1, n_cores() + 1 + int(n_jobs)) if isinstance(n_jobs, Integral) and n_jobs < 0 else n_jobs
