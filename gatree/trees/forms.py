"""The forms of a tree: methods with their code in a module of one form, which is imported on first use.

The modules know the tree; the tree knows their names only, and the signatures of their functions.
"""
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])


class Form:
    """A method whose code is a function of another module, with the method's signature."""

    def __init__(self, module: str, function: str, signature: Callable[..., Any] | None = None) -> None:
        self.module, self.function, self.signature = module, function, signature

    @property
    def code(self) -> Callable[..., object]:
        """The function, which takes the tree first."""
        function: Callable[..., Any] = getattr(import_module(f"gatree.trees.{self.module}"), self.function)
        return function

    def __get__(self, tree: object | None, _owner: type) -> Callable[..., object]:
        return self.code if tree is None else MethodType(self.code, tree)


def form(module: str, function: str = "") -> Callable[[F], F]:
    """Return a decorator that makes a method of its signature alone; the code has its name by default."""

    def decorate(signature: F) -> F:
        return cast("F", Form(module, function or signature.__name__, signature))

    return decorate


class Forms:
    """What a tree can be written as, and read from."""

    @form("render")
    def explain(self, row: Mapping[str, object]) -> str: ...

    @form("render")
    def to_text(
        self,
        style: Literal["plain", "sklearn"] = "plain",
        decimals: int | None = None,
        show_counts: bool = True,
    ) -> str: ...

    @form("render")
    def to_dot(self) -> str: ...

    @form("json_form")
    def to_json(self) -> str: ...

    @form("export.code")
    def to_rules(self) -> str: ...

    @form("export.code")
    def to_markdown(self) -> str: ...

    @form("export.code")
    def to_sql(self, dialect: str = "ansi", table: str | None = None) -> str: ...

    @form("export.code")
    def to_python(self, function: str = "predict") -> str: ...

    @form("export.code")
    def to_pandas(self) -> str: ...

    @form("export.code")
    def query(self, node: int) -> str: ...

    @form("nodes")
    def to_frame(self) -> pd.DataFrame: ...

    @form("nodes")
    def pruned(self, node: int, prediction: str | float | None = None) -> Self: ...

    @form("flips")
    def flips(self, row: Mapping[str, object], fixed: Collection[str] = ()) -> list[Any]: ...

    @form("export.onnx_model")
    def to_onnx(self) -> Any: ...

    @form("export.sklearn_tree")
    def to_sklearn(self, classes: NDArray[np.generic] | None = None) -> Any: ...

    @form("picture", "to_svg")
    def _repr_html_(self) -> str: ...

    @classmethod
    def from_json(cls, text: str, where: str = "tree") -> Self:
        """Return the tree in a text of `to_json`; ``where`` is what an error names."""
        return cast("Self", Form("json_form", "from_json").code(text, where))

    @classmethod
    def from_sklearn(cls, classifier: Any, class_name: str = "class") -> Self:
        """Return a fitted DecisionTreeClassifier for one target as a tree of ours.

        The thresholds are scikit-learn's; where it sends missing values to the left, they go to the right
        here.
        """
        return cast("Self", Form("export.sklearn_tree", "from_sklearn").code(classifier, class_name))
