"""CI on the hosting side does what .ci/run does: it calls make, and the targets exist."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from versions import ROOT

CI, NIGHTLY = (
    yaml.safe_load((ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8"))
    for name in ("ci", "nightly")
)


def targets_in(lines: list[str]) -> set[str]:
    """Return the targets of commands, which all have to be calls of make."""
    for line in lines:
        assert re.fullmatch(r"make( [a-z-]+)+( [A-Z]+=\S+)*", line), line
    return {word for line in lines for word in line.split()[1:] if "=" not in word}


def commands_of(workflow: dict[str, Any]) -> list[str]:
    """Return what the jobs run where there is make."""
    jobs = [job for name, job in workflow["jobs"].items() if name != "windows"]
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def lines_of(name: str, pattern: str) -> list[str]:
    return re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_what_ci_checks_the_workflows_check():
    script = targets_in(lines_of(".ci/run", "^make .+$"))
    assert {"check", "test"} <= script
    known = lines_of("Makefile", r"^test-all: (.+?)  ##")[0].split()
    assert (script - {"setup"}) | {"wheel-check"} <= targets_in(commands_of(CI)) | set(known)
    assert targets_in(commands_of(NIGHTLY)) == {"test-all"}
    in_container = lines_of("Containerfile", r"^RUN (make .+)$")
    called = script | targets_in([*in_container, *commands_of(CI), *commands_of(NIGHTLY)])
    assert called <= set(lines_of("Makefile", r"^([a-z-]+):"))
    named = lines_of("pyproject.toml", r"Python :: (3\.\d+)")
    assert CI["jobs"]["test"]["strategy"]["matrix"]["python"] == named


@pytest.mark.parametrize("workflow", [CI, NIGHTLY], ids=["ci", "nightly"])
def test_jobs_keep_what_they_install(workflow):
    """Parsed as YAML, `on` is True."""
    assert True in workflow
    for name, job in workflow["jobs"].items():
        uses = {
            step["uses"].partition("@")[0]: step.get("with", {}) for step in job["steps"] if "uses" in step
        }
        assert uses["actions/setup-python"]["cache-dependency-path"] == "requirements/lock.txt", name
        assert (ROOT / "requirements/lock.txt").is_file()
        assert job["timeout-minutes"] <= 60, name


def test_the_kernels_are_kept_where_they_are_compiled_to():
    (cache,) = [
        s["with"] for s in CI["jobs"]["test"]["steps"] if s.get("uses", "").startswith("actions/cache@")
    ]
    assert cache["path"] == "~/.cache/gatree"  # gatree/kernels/decorators.py
    assert "hashFiles('gatree/**/*.py'" in cache["key"]
    assert "matrix.os" in cache["key"]


def test_windows_runs_what_its_documentation_says():
    commands = [step["run"] for step in CI["jobs"]["windows"]["steps"] if "run" in step]
    documented = lines_of("docs/install.md", r"^    (python -m \S.+)$")
    assert "python -m pip install .[dev]" in documented
    assert set(documented) - {"python -m pip install ."} <= {c.removesuffix(" -n 3") for c in commands}
