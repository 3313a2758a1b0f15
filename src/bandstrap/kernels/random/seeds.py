"""The words that NumPy's `SeedSequence` makes of a seed, without what a call of it costs."""

from numba import uint64

from bandstrap.kernels.compile import kernel

POOL = 4  # words of 32 bits
LOW = 0xFFFFFFFF
FIRST, FIRST_BY = 0x43B0D7E5, 0x931E8875  # to take words in
SECOND, SECOND_BY = 0x8B51F9DD, 0x58F38DED  # to give words out
LEFT, RIGHT = 0xCA01F9DD, 0x4973F715  # to mix two


@kernel
def _hashed(word, times, by):
    """A word, and what the next one is multiplied by."""
    after = times * uint64(by) & uint64(LOW)
    word = (word ^ times) * after & uint64(LOW)
    return word ^ (word >> uint64(16)), after


@kernel
def _mixed(word, other):
    word = (word * uint64(LEFT) - other * uint64(RIGHT)) & uint64(LOW)
    return word ^ (word >> uint64(16))


@kernel
def fill_seed(entropy, pool, words):
    """`SeedSequence(entropy).generate_state(words.size, np.uint64)`, of at least four words.

    The pool has room for four.
    """
    times = uint64(FIRST)
    for i in range(POOL):
        pool[i], times = _hashed(uint64(entropy[i]), times, FIRST_BY)
    for i in range(POOL):
        for j in range(POOL):
            if i != j:
                word, times = _hashed(pool[i], times, FIRST_BY)
                pool[j] = _mixed(pool[j], word)
    for i in range(POOL, entropy.size):
        for j in range(POOL):
            word, times = _hashed(uint64(entropy[i]), times, FIRST_BY)
            pool[j] = _mixed(pool[j], word)
    times = uint64(SECOND)
    for i in range(words.size):
        low, times = _hashed(pool[2 * i % POOL], times, SECOND_BY)
        high, times = _hashed(pool[(2 * i + 1) % POOL], times, SECOND_BY)
        words[i] = high << uint64(32) | low
