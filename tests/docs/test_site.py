"""The site, opened from its folder in a browser: its search finds pages, its tables fit narrow screens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import browser as browsers
import pytest

ROOT = Path(__file__).parents[2]
WITH_COMMANDS = ("cli", "config", "python", "tutorial/the-paper")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built as `make site` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([*command, "--config-file", str(ROOT / "website/mkdocs.yml")], env=environment, check=True)
    return folder


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    started = browsers.start(tmp_path_factory.mktemp("profile"), tmp_path_factory.mktemp("downloads"))
    yield started
    started.quit()


@pytest.mark.long
def test_the_search_works_without_a_server(site: Path, driver):
    from selenium.webdriver.support.wait import WebDriverWait

    browsers.visit(driver, (site / "tutorial" / "first-minute.html").as_uri())
    box = driver.find_element("css selector", "[data-md-component=search-query]")
    driver.execute_script("document.querySelector('#__search').click(); arguments[0].focus()", box)
    box.send_keys("inheritance")
    links = "return [...document.querySelectorAll('.md-search-result__link')].map(link => link.href)"
    found = WebDriverWait(driver, 20).until(lambda driver: driver.execute_script(links))
    assert any(link.startswith((site / "idea.html").as_uri()) for link in found)


@pytest.mark.long
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_tables_of_commands_scroll_on_a_narrow_screen(page: str, site: Path, driver):
    driver.set_window_size(400, 800)
    browsers.visit(driver, (site / f"{page}.html").as_uri())
    commands = "return [...document.querySelectorAll('td code')].map(code => code.getClientRects().length)"
    n_lines = driver.execute_script(commands)
    assert n_lines
    assert set(n_lines) <= {0, 1}, "a command is broken into lines"
    assert driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
def test_the_page_of_the_command_line_has_the_help_of_every_command(site: Path):
    page = (site / "cli.html").read_text(encoding="utf-8")
    assert "Usage: gatree datasets info [OPTIONS] DATA" in page
    assert '<h2 id="gatree-warm-up">' in page
