"""A real browser for tests: what is installed, or in CI what can be installed; else the tests are skipped."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

_PACKAGES = ("chromium", "chromium-driver")
_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


def found():
    """Return the browser and its driver, if both are there."""
    browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def installed():
    """Return the same, installed before if that is asked for (CI=true) and allowed (Debian, as root)."""
    if found() or not os.environ.get("CI") or os.geteuid() or not shutil.which("apt-get"):
        return found()
    with (Path(tempfile.gettempdir()) / "gatree-browser.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests may run in several processes
        for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *_PACKAGES]):
            if not found():
                subprocess.run(["apt-get", *command], capture_output=True, timeout=300, check=False)
    return found()


def start(profile, downloads):
    """Start a browser that writes its downloads into a folder, or skip the test with the reason."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    there = installed()
    if there is None:
        pytest.skip("no browser: install chromium and chromedriver (or set CI=true, as root on Debian)")
    options = webdriver.ChromeOptions()
    options.binary_location, driver = there
    for flag in [*_FLAGS, f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    empty = {"session.restore_on_startup": 4, "session.startup_urls": ["about:blank"]}
    options.add_experimental_option("prefs", empty)  # the page for new tabs takes two CPU seconds
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    where = {"behavior": "allow", "downloadPath": str(downloads)}
    started.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    return started


def visit(driver, address):
    """Open a page and wait for it: on a busy machine the driver may come back while the last one is there."""
    from selenium.webdriver.support.wait import WebDriverWait

    wanted = [address.partition("#")[0], "complete"]
    script = "return [location.href.split('#')[0], document.readyState]"
    driver.get(address)
    WebDriverWait(driver, 10).until(lambda driver: driver.execute_script(script) == wanted)
