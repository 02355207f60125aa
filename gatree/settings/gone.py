"""Names of earlier versions: settings, options and parameters, each with what to use instead."""

from __future__ import annotations

from collections.abc import Mapping

GONE: Mapping[str, str] = {
    "subtree_cache": "this setting was removed, since the cache no longer saved time; leave it out",
    "enter": "this setting was removed: offspring enter together, at the end of a generation; leave it out",
}
