"""Text from others: nothing in it is obeyed by a terminal, and a message has an end."""

import pickle
import time

import pytest

from bandstrap import errors
from bandstrap.errors import BandstrapError, InvalidInput, OutputError, UnknownName
from bandstrap.printable import OBEYED, brief, called, printable, printable_lines

HOSTILE = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202eb\r\b\n\u2066c\u2028"
LONG = "x" * 10**6
AT_ONCE = 0.5  # seconds


def test_everything_that_is_obeyed_is_written_out():
    for number in [*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0x202A, 0x202F), 0x2066, 0x2069]:
        written = printable(chr(number))
        assert written.isprintable()
        assert written.startswith("\\")
        assert eval(f"'{written}'") == chr(number)
    assert printable("\ud800") == "\\ud800"  # or no encoding could print it


@pytest.mark.parametrize(
    "text", ["café", "größe, in €", "年齢", "عمر", "می‌خواهم", "👩‍🚀", "a\\b", "[red]", "tab here"]
)
def test_other_words_stay_as_they_are(text):
    assert printable(text) == text


def test_lines_stay_lines_where_they_are_meant():
    assert printable_lines("a\n\x1bb\n") == "a\n\\x1bb\n"
    assert called("a\nb") == "a\\nb"


def test_what_is_long_keeps_its_ends():
    assert brief("abcdefghij", 10) == "abcdefghij"
    for most in range(2, 10):
        cut = brief("abcdefghij", most)
        assert len(cut) == most
        assert cut[0] == "a"
        assert "…" in cut
    assert len(called(LONG)) == 60


@pytest.mark.parametrize(
    "make",
    [
        lambda text: InvalidInput(text, text, text),
        lambda text: InvalidInput("arms", [text, text], "rename them"),
        lambda text: InvalidInput("arms", {text: text}, "rename them"),
        lambda text: UnknownName("column", text, ["a", "b"]),
        lambda text: UnknownName("column", "a", [text, f"{text}b"]),
        lambda text: UnknownName("column", f"{text}a", [text, f"{text}b"]),
        lambda text: OutputError(text, text, text),
        BandstrapError,
    ],
)
@pytest.mark.parametrize("text", [HOSTILE, LONG], ids=["hostile", "long"])
def test_errors(make, text):
    started = time.perf_counter()
    error = make(text)
    assert time.perf_counter() - started < AT_ONCE
    assert not OBEYED.search(str(error))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    if type(error) is not BandstrapError:
        assert len(str(error)) < 1600


def test_names_alike_are_still_found():
    known = [f"column {number}" for number in range(5000)]
    assert "did you mean 'column 4711'?" in str(UnknownName("column", "colum 4711", known))
    assert "did you mean 7?" in str(UnknownName("arm", "7 ", [5, 6, 7]))


def test_many_names_are_not_all_listed():
    said = str(UnknownName("column", "?", [f"x{number}" for number in range(20_000)]))
    assert len(said) < errors.REMEDY + 100
    assert "known are x0, x1, x10, " in said
    listed, more = said.rsplit(" and ", 1)
    shown = listed.split("known are ")[1].split(", ")
    assert more == f"{20_000 - len(shown):,} more"
