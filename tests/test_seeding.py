"""Named generators give the numbers that they always gave."""

from hashlib import sha256

import numpy as np
import pytest

from bandstrap.seeding import brief_generator, generator, kernel_stream


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**70 + 5])
def test_a_name_and_a_seed_are_the_words_of_a_seed_sequence(seed):
    digest = sha256(b"decision\x1f7").digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    slow = np.random.PCG64DXSM(np.random.SeedSequence([seed, *words]))
    assert generator(seed, "decision", 7).bit_generator.state == slow.state


def test_a_brief_generator_is_in_the_same_state():
    for number in range(200):
        brief, known = brief_generator("decision", number), generator(0, "decision", number)
        assert brief.bit_generator.state == known.bit_generator.state


def test_numbers_are_pinned():
    assert generator(1, "decision", "a").random() == 0.9185613994438141


@pytest.mark.parametrize("kind", [np.random.PCG64DXSM, np.random.PCG64, np.random.Philox])
def test_a_kernel_has_the_next_four_raw_words(kind):
    one, other = np.random.Generator(kind(3)), kind(3)
    for _ in range(3):
        stream = kernel_stream(one)
        assert stream.tolist() == other.random_raw(4).tolist()
        assert stream.dtype == np.uint64
