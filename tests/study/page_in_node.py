"""The functions of the page's scripts that do not touch the page, run by node."""

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

from gatree.study.content import as_json, content
from gatree.study.page import TEXT_SCRIPTS

_TEMPLATES = files("gatree.study") / "templates"
_SCRIPTS = "".join((_TEMPLATES / name).read_text(encoding="utf-8") for name in TEXT_SCRIPTS)


def evaluated(finding, body, with_rows=True):
    """Return what a function returns whose body can use the page's functions, or skip the test."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    data = 'const data = JSON.parse(require("fs").readFileSync(0, "utf8"));'
    program = f"{data}\n{_SCRIPTS}\nconsole.log(JSON.stringify((() => {{ {body} }})()));"
    given = as_json(content(finding, with_rows))
    ran = subprocess.run(
        [node, "-e", program], input=given, capture_output=True, encoding="utf-8", check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
