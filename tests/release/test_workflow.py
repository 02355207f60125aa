"""CI on the hosting side does what .ci/run does: it calls make, and the targets exist."""

from __future__ import annotations

import re

import yaml
from versions import ROOT

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))


def targets_in(lines: list[str]) -> list[str]:
    """Return the targets of all commands, which are calls of make."""
    for line in lines:
        assert re.fullmatch(r"make( [a-z-]+)+", line), line
    return [target for line in lines for target in line.split()[1:]]


def test_the_workflow_calls_the_same_targets_as_ci():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    steps = [step["run"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "run" in step]
    assert targets_in(steps) == targets_in([line for line in script if line.startswith("make")])


def test_the_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    container = re.findall(
        r"^RUN (make .+)$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    script = re.findall(r"^make [a-z-]+", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    for target in targets_in([*container, *script]):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_it_runs_on_every_python_that_the_project_names():
    classifiers = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(r"Python :: (3\.\d+)", classifiers)
    assert WORKFLOW["jobs"]["all"]["strategy"]["matrix"]["python"] == named
