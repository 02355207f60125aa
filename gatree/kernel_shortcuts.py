"""What numba does over and over in a compilation, done once or not at all.

A good part of the time that a compilation takes goes into asking the same again: which `+` adds two int64,
whether all of numba's modules are imported, how a message that nobody sees would look in colour. While a
kernel is compiled there are short cuts, each of which gives what numba would have come to; where a release of
numba lacks one of the places, it stays as it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from numba.core import errors, ir
from numba.core.cpu import CPUContext
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

_WITHOUT_VARIABLES = (str, int, float, bool, type(None), ir.Loc, ir.Const, ir.Global, ir.FreeVar, ir.Arg)


@contextlib.contextmanager
def shortcuts() -> Iterator[None]:
    """Have numba take them."""
    places: list[tuple[Any, str, Callable[..., Any]]] = [
        (ir.Inst, "_rec_list_vars", _variables),
        (CPUContext, "create_cfunc_wrapper", _nothing),  # nobody calls a kernel from C
        (CPUContext, "load_additional_registries", _loaded_once(CPUContext)),
        (BaseFunction, "get_call_type", _resolved_once(BaseFunction)),
        (getattr(errors, "HighlightColorScheme", None), "_markup", _plain),
    ]
    before = [(owner, name, owner.__dict__[name]) for owner, name, _ in places if hasattr(owner, name)]
    for owner, name, shortcut in places:
        if hasattr(owner, name):
            setattr(owner, name, shortcut)
    try:
        yield
    finally:
        for owner, name, method in before:
            setattr(owner, name, method)


def _nothing(*_arguments: Any) -> None:
    pass


def _plain(_scheme: Any, message: str, *_style: Any, **_more: Any) -> str:
    """Leave a message without colour: those about what does not match, thousands of them, are never seen."""
    return message


def _loaded_once(owner: Any) -> Callable[..., None]:
    """Return a way to load numba's registries that imports its modules only once in a kernel."""
    load, done = owner.load_additional_registries, set()

    def load_once(context: Any) -> None:
        if id(context) not in done:
            load(context)
            done.add(id(context))

    return load_once


def _resolved_once(owner: Any) -> Callable[..., Any]:
    """Return a way to find the signature of a call that looks for the same call only once in a kernel."""
    resolve, known = owner.get_call_type, {}

    def resolve_once(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
        flags = ConfigStack.top_or_none()
        key = (function, context, tuple(arguments), tuple(sorted(keywords.items())), flags)
        if key not in known:
            known[key] = resolve(function, context, arguments, keywords)
        return known[key]

    return resolve_once


def _variables(_instruction: Any, value: Any) -> list[Any]:
    """Return the variables in a part of an instruction."""
    found: list[Any] = []
    _add_variables(value, found)
    return found


def _add_variables(value: Any, found: list[Any]) -> None:
    if isinstance(value, ir.Var):
        found.append(value)
    elif isinstance(value, dict):
        _add_all(value.values(), found)
    elif isinstance(value, list | tuple):
        _add_all(value, found)
    elif isinstance(value, ir.Inst):
        found.extend(value.list_vars())


def _add_all(values: Any, found: list[Any]) -> None:
    for value in values:
        if value.__class__ not in _LEAVES:
            _add_variables(value, found)


_LEAVES = frozenset(_WITHOUT_VARIABLES)
