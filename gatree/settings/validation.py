"""Validate what a user wrote by a model: all errors at once, each with its setting, or place in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from gatree.base.errors import Complaint, SettingError, did_you_mean
from gatree.settings.gone import GONE, RENAMED

Model = TypeVar("Model", bound=BaseModel)


def validated(
    model: type[Model],
    values: Mapping[str, object],
    where: str = "",
    context: dict[str, object] | None = None,
) -> Model:
    """Return the model of what a user wrote, or raise one SettingError that lists all errors.

    Each message begins with ``where``, such as the file. The context is for the model's validators.
    """
    try:
        return model.model_validate(dict(values), context=context)
    except ValidationError as error:
        complaints = [complaint(details, model, values) for details in _of_unions(error.errors())]
    raise SettingError(*_joined(complaints), where=where)


_SHOULD = "should be "


def _joined(complaints: list[Complaint]) -> list[Complaint]:
    """Return complaints; those of a value that may be a word or a number are one."""
    joined: list[Complaint] = []
    for each in complaints:
        last = joined[-1] if joined else None
        if last and last[::2] == each[::2] and {last.what[:10], each.what[:10]} == {_SHOULD}:
            expected = last.what.removeprefix(_SHOULD).partition(", got ")[0]
            each = each._replace(what=f"{_SHOULD}{expected} or {each.what.removeprefix(_SHOULD)}")
            joined.pop()
        joined.append(each)
    return joined


def complain(settings: tuple[str, ...], what: str) -> PydanticCustomError:
    """Return what a model's validator raises if some settings do not go together."""
    return PydanticCustomError("together", "{what}", {"what": what, "settings": settings})


def _of_unions(errors: list[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Yield errors; of those of a value that may be a word or a mapping, only the one that fits it."""
    places = [{each["loc"][:-1] for each in errors if is_such(each)} for is_such in (_is_word, _is_mapping)]
    of_both = places[0] & places[1]
    for details in errors:
        if _is_word(details) and isinstance(details["input"], Mapping):
            continue  # the mapping's own errors are reported
        if details["loc"][:-1] in of_both:
            if _is_mapping(details):
                continue
            details["ctx"]["expected"] += " or a mapping"
        yield details


def _is_mapping(details: ErrorDetails) -> bool:
    """Tell whether an error says that a value is no mapping."""
    return details["type"] == "dict_type"


def _is_word(details: ErrorDetails) -> bool:
    """Tell whether an error says that a value is none of the words that a union has."""
    return details["type"] == "literal_error" and str(details["loc"][-1]).startswith("literal[")


def complaint(details: ErrorDetails, model: type[BaseModel], values: Mapping[str, object]) -> Complaint:
    """Return what is wrong with a value, what was given and what is allowed."""
    place, got = _short(_path(details["loc"], values), 100), details["input"]
    setting = re.match(r"[^.[]*", place)[0]  # type: ignore[index]  # which always matches
    context = details.get("ctx", {})
    if details["type"] == "together" and not place:
        return Complaint(context["settings"], context["what"])
    if details["type"] in ("union_tag_not_found", "union_tag_invalid"):
        place += "." + context["discriminator"].strip("'")
    what = _short(_what(details, model, context, got), 500)
    return Complaint((setting,) * bool(place), what, place[len(setting) :])


def _short(text: str, longest: int) -> str:
    """Return a text without its middle if it is long: a user's values may be."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


def _what(details: ErrorDetails, model: type[BaseModel], context: dict[str, Any], got: object) -> str:
    """Return what is wrong with a value without its place."""
    match details["type"]:
        case "extra_forbidden":
            name = str(details["loc"][-1])
            if reason := GONE.get(name):
                return reason
            known = list(_fields_at(model, details["loc"][:-1]))
            return f"unknown setting{did_you_mean(name, known) or '; known: ' + ', '.join(known)}"
        case "missing" | "union_tag_not_found":
            return "is missing"
        case "union_tag_invalid":
            expected, tag = context["expected_tags"], context["tag"]
            return f"should be {expected}, got {tag!r}{_near(tag, expected)}"
        case "literal_error":
            return f"should be {context['expected']}, got {got!r}{_near(got, context['expected'])}"
        case "value_error":
            return str(context["error"])
        case "together":
            return f"{', '.join(context['settings'])}: {context['what']}"
    message = details["msg"].partition(" should ")[2]
    return f"should {message or details['msg']}, got {got!r}"


def _near(got: object, expected: str) -> str:
    return did_you_mean(str(got), re.findall("'([^']*)'", expected))


def _path(location: tuple[int | str, ...], values: object) -> str:
    """Format a location as in the file, such as ``studies[0].grid.size[2]``."""
    path = ""
    for depth, step in enumerate(location, start=1):
        if isinstance(values, Mapping) and step not in values and RENAMED.get(str(step)) in values:
            step = RENAMED[str(step)]
        is_item = isinstance(step, int) and isinstance(values, list | tuple)
        is_key = isinstance(values, Mapping) and (depth == len(location) or step in values)
        if not is_item and not is_key:
            continue  # the tag of a model in a union, or the index of a single value: not in the file
        path += f"[{step}]" if is_item else f".{step}"
        if isinstance(values, Mapping):
            values = values.get(step)
        elif isinstance(values, list | tuple) and isinstance(step, int) and step < len(values):
            values = values[step]
        else:
            values = None
    return path.removeprefix(".")


def _fields_at(model: type[BaseModel], path: tuple[int | str, ...]) -> dict[str, FieldInfo]:
    """Return the fields of the model at a path inside a model."""
    choices = [model]
    for step in path:
        if isinstance(step, str) and step in model.model_fields:
            choices = _models_in(model.model_fields[step].annotation) or choices
            model = choices[0]
        elif isinstance(step, str):  # the tag of a model in a union
            model = next((choice for choice in choices if _has_tag(choice, step)), model)
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _has_tag(model: type[BaseModel], tag: str) -> bool:
    return any(tag in getattr(field.annotation, "__args__", ()) for field in model.model_fields.values())


def _models_in(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models_in(part)]
