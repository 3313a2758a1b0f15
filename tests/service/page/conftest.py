"""One browser and one server for the tests of a file."""

import pytest
from statuses import Stub

from chromium import Chromium, executable


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not executable():
        pytest.skip("Chromium is not installed (scripts/chromium installs it where it can)")
    browser = Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def server():
    stub = Stub()
    yield stub
    stub.close()
