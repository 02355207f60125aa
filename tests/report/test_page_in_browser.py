"""The report page in a real browser: switching, sorting, themes, the keyboard, and no request to anywhere."""

from __future__ import annotations

import json
import shutil

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")

BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no browser: chromium is not installed"),
    pytest.mark.skipif(DRIVER is None, reason="no browser driver: chromedriver is not installed"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

EVIL = "<script>window.evil = 1</script>"
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, odd_page):
    set_screen(browser, 1400, "light")
    browser.get("about:blank")
    browser.get_log("performance")  # what the browser itself did before is not the page's doing
    browser.get(odd_page.as_uri())
    return browser


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
    cells = texts(page, f"#table-3 tbody tr td:nth-of-type({column})")
    return [float(text) for text in cells if text != "—"]


def test_no_complaint_and_no_request(page, odd_page):
    assert page.get_log("browser") == []
    requested = [
        message["params"]["request"]["url"]
        for message in (json.loads(entry["message"])["message"] for entry in page.get_log("performance"))
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert {url for url in requested if not url.startswith("data:")} <= {odd_page.as_uri()}


def test_a_name_with_a_script_is_text(page):
    assert page.execute_script("return window.evil") is None
    assert EVIL in texts(page, "#table-3 th.dataset")


def test_switching(page):
    ours = texts(page, "#table-3 td")
    element(page, "input[value=paper]").click()
    published = texts(page, "#table-3 td")
    element(page, "input[value=difference]").click()
    apart = texts(page, "#table-3 td")
    assert texts(page, "#table-3 .view-name") == ["(ours − published)"]
    compared = [(o, p, d) for o, p, d in zip(ours, published, apart, strict=True) if "—" not in (o, p, d)]
    assert len(compared) == 12
    for mine, paper, difference in compared:
        assert float(difference) == pytest.approx(float(mine) - float(paper), abs=0.011)
    element(page, "input[value=ours]").click()
    assert texts(page, "#table-3 td") == ours


def test_sorting(page):
    names = texts(page, "#table-3 th.dataset")
    button = element(page, "#table-3 button.sort[data-column='2']")
    button.click()
    assert column_of(page, 2) == sorted(column_of(page, 2))
    assert len(column_of(page, 2)) == 4
    assert texts(page, "#table-3 th[aria-sort=ascending]") == ["m = 0.01"]
    assert texts(page, "#table-3 td")[-1] == "—"  # what is missing comes last
    button.click()
    assert column_of(page, 2) == sorted(column_of(page, 2), reverse=True)
    assert texts(page, "#table-3 td")[-1] == "—"
    assert sorted(texts(page, "#table-3 th.dataset")) == sorted(names)
    element(page, "#table-3 button.sort[data-column='0']").click()
    assert texts(page, "#table-3 th.dataset")[1:4] == ["anneal", "balance-scale", "breast"]


def test_choosing_rows_and_sorting_by_them(page):
    from selenium.webdriver.support.select import Select

    Select(element(page, "#table-4 select")).select_by_visible_text("Train Savings")
    shown = page.execute_script(
        "return [...document.querySelectorAll('#table-4 tbody tr')].filter(r => !r.hidden)"
        ".map(r => [...r.cells].map(c => c.textContent.trim()))"
    )
    assert {row[1] for row in shown} == {"Train Savings"}
    assert len(shown) == 13
    element(page, "#table-4 button.sort[data-column='3']").click()
    savings = page.execute_script(
        "return [...document.querySelectorAll('#table-4 tbody tr')].filter(r => !r.hidden)"
        ".map(r => r.cells[3].textContent)"
    )
    known = [float(text) for text in savings if text != "—"]
    assert known == sorted(known)
    assert len(known) == 4
    Select(element(page, "#table-4 select")).select_by_visible_text("all")
    assert page.execute_script("return document.querySelectorAll('#table-4 tr[hidden]').length") == 0


def test_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    radio = element(page, "input[value=ours]")
    radio.send_keys(Keys.ARROW_RIGHT)
    assert element(page, "body").get_attribute("data-view") == "paper"
    element(page, "#table-3 button.sort[data-column='1']").send_keys(Keys.ENTER)
    assert texts(page, "#table-3 th[aria-sort=ascending]") == ["m = 0.5"]
    assert texts(page, "#said") == ["Sorted by m = 0.5, ascending"]


def background(page) -> str:
    return page.execute_script("return getComputedStyle(document.body).backgroundColor")


def test_light_and_dark(page, browser):
    light = background(page)
    set_screen(browser, 1400, "dark")
    dark = background(page)
    assert light != dark
    button = element(page, "#theme")
    button.click()
    assert (button.text, background(page)) == ("Theme: light", light)
    button.click()
    set_screen(browser, 1400, "light")
    assert (button.text, background(page)) == ("Theme: dark", dark)
    button.click()
    assert (button.text, background(page)) == ("Theme: as the system", light)


@pytest.mark.parametrize("width", [1400, 400, 320])
def test_the_page_is_as_wide_as_the_screen(browser, odd_page, width):
    set_screen(browser, width, "light")
    browser.get(odd_page.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
