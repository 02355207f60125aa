"""The prose check finds what it is for, and leaves code, tables and links alone."""

from __future__ import annotations

from pathlib import Path

from check_prose import FILES, ROOT, found_in_file

BAD = """# Title

Trees are evolved anew, so
many times, and `beside` is code. [A page](missing.md), [a heading](#none), [the title](#title).

### A level too deep

```text
beside
```
"""


def messages(path: Path) -> list[tuple[int, str]]:
    return [(line, message) for _, line, message in found_in_file(path)]


def test_a_page_with_every_mistake(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_text(BAD + "x" * 101 + "\n\n| " + "x" * 101 + " |\n")
    assert messages(path) == [
        (3, "'anew' is out: see the glossary"),
        (3, "'so many' is out: see the glossary"),
        (11, "101 characters, at most 100"),
        (6, "heading of level 3 below one of level 1"),
        (4, "no such file: missing.md"),
        (4, "no such heading: #none"),
    ]


def test_comments_docstrings_and_messages_but_not_names_and_keys(tmp_path: Path):
    path = tmp_path / "code.py"
    lines = ['"""Stand beside `beside`."""', 'beside = x["beside"]  # spared here', 'f"`{told}` told {2}"']
    path.write_text("\n".join([*lines, 'f"{told} yes"\n']))
    assert [line for line, _ in messages(path)] == [1, 2, 3]


def test_the_length_of_a_link_does_not_count(tmp_path: Path):
    path = tmp_path / "page.md"
    path.write_text(f"# Title\n\n[here](https://example.org/{'x' * 100})\n")
    assert messages(path) == []


def test_the_text_and_the_scripts_of_a_page_but_not_its_tags(tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_text('<p class="beside">Trees</p>\n<p>told</p>\n<script>show("anew")</script>\n')
    assert [line for line, _ in messages(path)] == [2, 3]


def test_templates_and_tests_are_checked():
    checked = {path for pattern in FILES for path in ROOT.glob(pattern)}
    assert {ROOT / "gatree/report/templates/page.html", ROOT / "tests/naive.py"} <= checked
