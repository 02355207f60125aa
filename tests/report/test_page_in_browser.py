"""The report page in a real browser: switching, sorting, themes, the keyboard, and no request to anywhere."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path
from xml.etree import ElementTree

import browser as browsers
import pytest
from own_experiment import DATASETS, GAPS, LEAVES, ODD_NAME, own_records
from records import results_of
from sample_results import EVIL_NAME

from gatree.experiments.places import reference_folder
from gatree.report.points import Points

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(tmp_path_factory, downloads):
    driver = browsers.start(tmp_path_factory.mktemp("profile"), downloads)
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, odd_page):
    open_page(browser, odd_page.as_uri())
    open_all(browser)
    return browser


def open_page(browser, address: str, width: int = 1400) -> None:
    browsers.visit(browser, "about:blank")  # nothing of the last page is left, and none is laid out again
    set_screen(browser, width, "light")
    browsers.visit(browser, address)


def open_all(browser) -> None:
    browser.execute_script("document.querySelectorAll('details').forEach(part => { part.open = true; })")


def set_screen(browser, width: int, scheme: str) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def element(page, selector: str):
    return page.find_element("css selector", selector)


def texts(page, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim())"
    return page.execute_script(script, selector)


def column_of(page, column: int) -> list[float]:
    cells = texts(page, f"#table-3 .numbers tbody tr td:nth-of-type({column})")
    return [float(text) for text in cells if text != "—"]


def test_no_complaint_no_request_and_no_name_runs(browser, odd_page):
    browsers.visit(browser, "about:blank")
    browser.get_log("performance")  # what the browser itself did before is not the page's doing
    browsers.visit(browser, odd_page.as_uri())
    open_all(browser)
    assert browser.get_log("browser") == []
    requested = [
        message["params"]["request"]["url"]
        for message in (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert {url for url in requested if not url.startswith("data:")} == {odd_page.as_uri()}
    assert browser.execute_script("return window.evil") is None
    assert EVIL_NAME in texts(browser, "#table-3 th.dataset")


def test_the_reference_is_a_third_as_high_as_with_all_open(browser):
    """Before anything is opened; 35,817 pixels it was when everything was shown at once."""
    open_page(browser, (reference_folder() / "report.html").as_uri(), 1280)
    assert len(texts(browser, "#summary .verdict .card")) == 8
    assert browser.execute_script("return document.documentElement.scrollHeight") < 35_817 / 3


def test_a_link_opens_what_it_leads_to(browser, odd_page):
    open_page(browser, odd_page.as_uri() + "#table-4")
    opened = "return [...document.querySelectorAll('#tables > details[open]')].map(part => part.id)"
    assert browser.execute_script(opened) == ["table-4"]
    browsers.visit(browser, odd_page.as_uri() + "#figures")
    assert browser.execute_script("return document.querySelector('#figures > details').open")


def shown_rows(page) -> list[list[str]]:
    """Return the texts of the rows of Table 4 that are not hidden."""
    return page.execute_script(
        "return [...document.querySelectorAll('#table-4 .numbers tbody tr')].filter(r => !r.hidden)"
        ".map(r => [...r.cells].map(c => c.textContent.trim()))"
    )


def test_switching_sorting_and_choosing_rows(page):
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select

    ours = texts(page, "#table-3 .numbers td")
    element(page, "input[value=ours]").send_keys(Keys.ARROW_RIGHT)
    assert element(page, "body").get_attribute("data-view") == "paper"
    published = texts(page, "#table-3 .numbers td")
    element(page, "input[value=difference]").click()
    apart = texts(page, "#table-3 .numbers td")
    assert texts(page, "#table-3 .view-name") == ["(ours − published)"]
    compared = [(o, p, d) for o, p, d in zip(ours, published, apart, strict=True) if "—" not in (o, p, d)]
    assert len(compared) == 9  # of Table 6 the paper has means of all sizes only
    for mine, paper, difference in compared:
        assert float(difference) == pytest.approx(float(mine) - float(paper), abs=0.011)
    element(page, "input[value=ours]").click()
    assert texts(page, "#table-3 .numbers td") == ours

    names = texts(page, "#table-3 th.dataset")
    button = element(page, "#table-3 button.sort[data-column='2']")
    button.send_keys(Keys.ENTER)
    assert column_of(page, 2) == sorted(column_of(page, 2))
    assert len(column_of(page, 2)) == 4
    assert texts(page, "#table-3 th[aria-sort=ascending]") == ["x = 10000, m = 0.01"]
    assert texts(page, "#said") == ["Sorted by x = 10000, m = 0.01, ascending"]
    button.click()
    assert column_of(page, 2) == sorted(column_of(page, 2), reverse=True)
    assert sorted(texts(page, "#table-3 th.dataset")) == sorted(names)
    element(page, "#table-3 button.sort[data-column='0']").click()
    assert texts(page, "#table-3 th.dataset") == sorted(names)

    Select(element(page, "#table-4 select")).select_by_visible_text("Train Savings")
    assert {row[1] for row in shown_rows(page)} == {"Train Savings"}
    assert len(shown_rows(page)) == 4
    element(page, "#table-4 button.sort[data-column='3']").click()
    savings = [float(row[3]) for row in shown_rows(page)]
    assert savings == sorted(savings)
    Select(element(page, "#table-4 select")).select_by_visible_text("all")
    assert page.execute_script("return document.querySelectorAll('#table-4 tr[hidden]').length") == 0


def background(page) -> str:
    return page.execute_script("return getComputedStyle(document.body).backgroundColor")


def test_light_and_dark_and_as_wide_as_the_screen(browser, odd_page):
    open_page(browser, odd_page.as_uri())
    light = background(browser)
    set_screen(browser, 1400, "dark")
    dark = background(browser)
    assert light != dark
    button = element(browser, "#theme")
    button.click()
    assert (button.text, background(browser)) == ("Theme: light", light)
    button.click()
    set_screen(browser, 1400, "light")
    assert (button.text, background(browser)) == ("Theme: dark", dark)
    button.click()
    assert (button.text, background(browser)) == ("Theme: system", light)
    for width in (1400, 400, 320):
        set_screen(browser, width, "light")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width


# --- the plots of a custom experiment --------------------------------------------------------


@pytest.fixture
def plots(browser, own_page):
    open_page(browser, own_page.as_uri())
    return browser


def choose(page, name: str, text: str) -> None:
    from selenium.webdriver.support.select import Select

    Select(element(page, f"#controls select[name={name}]")).select_by_visible_text(text)


def marks(page) -> int:
    return page.execute_script("return document.querySelectorAll('#panels .mark').length")


def test_a_panel_per_data_set_has_all_points_and_hovering_tells_the_cell(plots):
    from selenium.webdriver.common.action_chains import ActionChains

    points = Points.of(results_of(own_records()))
    (point,) = [
        p
        for p in points.records(points.having("accuracy", "cross-validation"))
        if (p["dataset"], *p["settings"].values()) == ("mine", 0.1, "random")
    ]
    assert plots.get_log("browser") == []
    assert texts(plots, "#panels .title") == sorted(DATASETS)
    assert marks(plots) == 2 * (len(GAPS) * len(LEAVES) + 1)
    assert len(plots.find_elements("css selector", "#panels .front")) == 2
    gaps = [f"generation gap {gap}" for gap in GAPS]
    assert texts(plots, "#legend span") == [*gaps, "j48", "the Pareto front"]
    choose(plots, "generation_gap", "0.1")
    choose(plots, "leaf_class", "random")
    choose(plots, "baselines", "hidden")
    choose(plots, "dataset", "mine")
    assert marks(plots) == 1
    ActionChains(plots).move_to_element(element(plots, "#panels .mark")).perform()
    shown = texts(plots, "#tip > *")
    assert shown[:3] == ["mine", "generation gap: 0.1", "leaf class: random"]
    assert f"accuracy: {point['accuracy']:.4f} ± {point['accuracy_error']:.4f} (standard error)" in shown
    assert f"nodes: {point['size']:.1f}" in shown
    assert shown[-1] == "mean of 2 runs"
    ActionChains(plots).move_to_element(element(plots, "h1")).perform()
    assert not element(plots, "#tip").is_displayed()


def test_arrow_keys_tell_the_cells_one_after_the_other(plots):
    from selenium.webdriver.common.keys import Keys

    panel = element(plots, "#panels svg")
    panel.send_keys(Keys.ARROW_RIGHT)
    first = texts(plots, "#said")
    assert element(plots, "#tip").is_displayed()
    panel.send_keys(Keys.ARROW_RIGHT)
    assert first != texts(plots, "#said")
    panel.send_keys(Keys.ESCAPE)
    assert not element(plots, "#tip").is_displayed()


def test_the_address_keeps_the_view(plots, browser, own_page):
    choose(plots, "plot", "Savings and size")
    choose(plots, "dataset", ODD_NAME)
    choose(plots, "leaf_class", "majority")
    address = plots.current_url
    assert "plot=savings" in address
    open_page(browser, address)
    assert texts(browser, "#panels .title") == [ODD_NAME]
    assert marks(browser) == len(GAPS)
    assert texts(browser, "#shown") == ["2 points on 1 data set."]
    open_page(browser, own_page.as_uri() + "#view:plot=nonsense&dataset=gone&leaf_class=majority", 400)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400
    assert element(browser, "#panels svg").size["width"] > 300
    assert marks(browser) == 2 * (len(GAPS) + 1), "what is not known is left out of account"


def downloaded(folder, name):
    for _ in range(100):
        if (folder / name).exists():
            return (folder / name).read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError(f"{name} was not written")


def test_downloads(plots, downloads):
    choose(plots, "dataset", "mine")
    element(plots, "#save-csv").click()
    rows = list(csv.DictReader(downloaded(downloads, "gatree-points.csv").splitlines()))
    found = Points.of(results_of(own_records()))
    shown = found.having("accuracy", "baseline", "cross-validation")
    points = found.records(shown[shown["dataset"] == "mine"])
    assert len(rows) == len(points)
    for row, point in zip(rows, points, strict=True):
        assert (row["dataset"], row["method"], row["study"]) == ("mine", point["method"], "folds")
        assert row["leaf_class"] == point["settings"].get("leaf_class", "")
        assert float(row["accuracy"]) == pytest.approx(point["accuracy"], abs=5e-5)
        assert float(row["size"]) == pytest.approx(point["size"], abs=0.05)
    element(plots, "#save-svg").click()
    drawn = ElementTree.fromstring(downloaded(downloads, "gatree-plots.svg"))
    paths = [path for path in drawn.iter("{http://www.w3.org/2000/svg}path") if path.get("transform")]
    assert len(paths) == len(points)
    assert all(path.get("fill").startswith("rgb(") for path in paths), "it needs no style sheet"


def test_in_print_there_are_plots_but_no_controls(plots, browser):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert element(plots, "#panels svg").is_displayed()
        assert not element(plots, "#controls").is_displayed()
        assert not element(plots, "#save-csv").is_displayed()
        assert background(plots) == "rgb(255, 255, 255)"
        assert low_contrasts(plots) == []
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def low_contrasts(page) -> list[str]:
    """Return the texts whose contrast with what is behind them is below 4.5, as the browser computes it."""
    script = Path(__file__).with_name("low_contrasts.js").read_text(encoding="utf-8")
    return page.execute_script(script)


def test_every_text_can_be_read(browser, odd_page, own_page):
    for page in (odd_page, own_page):
        open_page(browser, page.as_uri())
        for scheme in ("light", "dark"):
            set_screen(browser, 1400, scheme)
            assert low_contrasts(browser) == [], scheme
