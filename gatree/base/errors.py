"""The errors that a user can act on.

``GatreeError`` is what the command line catches and prints as one message; anything else that
escapes is a bug. A message says what is wrong, where (file, line, key), what was given, and what is
allowed.

    GatreeError
    ├── DataError     a data file, or data passed in, cannot be used
    ├── ConfigError   a setting or a configuration file is wrong
    │   └── SettingError   with the settings that are wrong
    ├── ResultError   a journal or another file of results cannot be read or written
    └── MissingLibraryError   an optional library is not installed (also an ImportError)
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple


class GatreeError(Exception):
    """Base of all errors that a user can act on."""


class DataError(GatreeError):
    """A data file, or data passed in, cannot be used."""


class ConfigError(GatreeError):
    """A setting or a configuration file is wrong."""


class Complaint(NamedTuple):
    """What is wrong with a setting, or with several together."""

    settings: tuple[str, ...]
    what: str
    place: str = ""  # inside the setting, such as ``[2]``

    def text(self, name_of: Callable[[str], str] = str) -> str:
        """Return the complaint with the names that the settings have where they were given."""
        names = ", ".join(map(name_of, self.settings)) + self.place
        return f"{names}: {self.what}" if names else self.what


class SettingError(ConfigError):
    """Settings are wrong. The command line and the estimators have their own names for them."""

    def __init__(self, *complaints: Complaint, where: str = "") -> None:
        self.complaints = complaints
        prefix = f"{where}: " if where else ""
        super().__init__("\n".join(f"{prefix}{each.text()}" for each in complaints))

    @classmethod
    def of(cls, setting: str, what: str) -> SettingError:
        """Return the error that one setting is wrong."""
        return cls(Complaint((setting,), what))

    def named(self, name_of: Callable[[str], str]) -> str:
        """Return the message with other names of the settings."""
        return "\n".join(each.text(name_of) for each in self.complaints)


class ResultError(GatreeError):
    """A journal or another file of results cannot be read or written."""


class MissingLibraryError(GatreeError, ImportError):
    """An optional library is not installed."""


def did_you_mean(got: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'vote'?"`` for the nearest known name, or an empty string."""
    if len(got) > _LONGEST_NAME:  # comparing takes time that grows with the square of the length
        return ""
    names = {name.lower(): name for name in known if len(name) <= _LONGEST_NAME}
    near = difflib.get_close_matches(got.lower(), names, n=1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def there_are(names: Iterable[str]) -> str:
    """Return ``" (there are: age, job and 3 more)"`` for a message about an unknown name."""
    return f" (there are: {listed_names(names)})"


def listed_names(names: Iterable[str]) -> str:
    """Return ``"age, job and 3 more"``: as many names as a message has room for, long ones truncated."""
    found, names = list[str](), list(names)
    while len(found) < min(len(names), 20) and sum(map(len, found)) < 200:
        found.append(brief(names[len(found)], 40))
    more = f" and {len(names) - len(found)} more" if len(names) > len(found) else ""
    return ", ".join(found) + more


def reason(error: Exception) -> str:
    """Return what a library says is wrong, as one short line of a message."""
    text = " ".join(str(error).split())
    return brief(f"{type(error).__name__}: {text}" if text else type(error).__name__, 160)


_LONGEST_NAME = 200

_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, ``1 node`` or ``2 nodes``."""
    return f"{n} {noun}" if n == 1 else f"{n} {plural or noun + 's'}"


def percent(share: float, digits: int = 1) -> str:
    """Return a share as a percentage, ``97.5%``."""
    return f"{share:.{digits}%}"


def visible(text: str) -> str:
    """Return a text with control characters as escapes, so that it is safe to print and draw.

    Lone surrogates, which no file can hold, and characters that XML forbids are escaped too.

    >>> visible("a\x1b[2J")
    'a\\\\x1b[2J'
    """
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def shown(text: str, longest: int = 40) -> str:
    """Return a text in quotes for a message, truncated if it is long."""
    return repr(_truncated(text, longest))


def brief(text: str, longest: int = 60) -> str:
    """Return a text that is safe to print, truncated if it is long."""
    return visible(_truncated(text, longest))


def _truncated(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "..."
