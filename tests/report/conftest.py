"""One browser for the tests of a file."""

import pytest

from chromium import Chromium, executable


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not executable():
        pytest.skip("Chromium is not installed (scripts/chromium installs it where it can)")
    browser = Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()
