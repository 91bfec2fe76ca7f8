"""Random numbers from a counter: the Philox 4x32 and 4x64 generators of Salmon, Moraes, Dror and Shaw, "Parallel
random numbers: as easy as 1, 2, 3" (SC 2011).

Four words of counter and two words of key make four words of random bits, with no state: the same seed and offset
always make the same numbers.
"""
from triton import constexpr_function, jit
from triton.language import core as tl
from triton.language import math

N_ROUNDS_DEFAULT = tl.constexpr(10)


@constexpr_function
def _multipliers(dtype):
    """Returns the factors of a round for words of a type: of counter words 0 and 2."""
    return (0xD2511F53, 0xCD9E8D57) if dtype == tl.uint32 else (0xD2E7470EE14C6C93, 0xCA5A826395121157)


@constexpr_function
def _key_steps(dtype):
    """Returns what the key words grow by from round to round: parts of the golden ratio and of the root of 3."""
    return (0x9E3779B9, 0xBB67AE85) if dtype == tl.uint32 else (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


@constexpr_function
def _word_type(dtype, what):
    """Returns the unsigned type of words, which are as wide as a type."""
    assert dtype.primitive_bitwidth in (32, 64), f"{what} of 32 or 64 bits are expected, not {dtype}"
    return tl.uint32 if dtype.primitive_bitwidth == 32 else tl.uint64


@jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Mixes a counter of four unsigned words with a key of two.

    A round multiplies words 0 and 2. The lower halves of the products become words 3 and 1; the upper halves, mixed
    with what was there and with the key, become words 2 and 0.
    """
    tl.static_assert(c0.dtype == tl.uint32 or c0.dtype == tl.uint64,
                     f"the counter of philox_impl has words of type uint32 or uint64, not {c0.dtype}")
    steps: tl.constexpr = _key_steps(c0.dtype)
    for _ in tl.static_range(n_rounds):
        m0, m2 = _multipliers(c0.dtype)
        upper2 = math.umulhi(m2, c2) ^ c1 ^ k0
        upper0 = math.umulhi(m0, c0) ^ c3 ^ k1
        c1 = tl.mul(m2, c2, sanitize_overflow=False)
        c3 = tl.mul(m0, c0, sanitize_overflow=False)
        c0, c2 = upper2, upper0
        k0 = tl.add(k0, steps[0], sanitize_overflow=False)
        k1 = tl.add(k1, steps[1], sanitize_overflow=False)
    return c0, c1, c2, c3


@jit
def _low_word(bits):
    return (bits & 0xFFFFFFFF).to(tl.uint32)


@jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Makes four blocks of random words for each counter, of 32 or 64 bits as the counter's. The seed is the key."""
    seed = tl.to_tensor(seed)
    tl.static_assert(seed.dtype.is_int(), f"a seed is an integer, not {seed.dtype}")
    key = seed.to(tl.uint64)
    c0, c1, c2, c3 = tl.to_tensor(c0), tl.to_tensor(c1), tl.to_tensor(c2), tl.to_tensor(c3)
    word: tl.constexpr = _word_type(c0.dtype, "counters of philox")
    if word == tl.uint32:
        k1 = _low_word(key >> 32)
        k0 = _low_word(key)
    else:
        k1 = tl.full([1], 0, word)
        k0 = key
    return philox_impl(c0.to(word, bitcast=True), c1.to(word, bitcast=True), c2.to(word, bitcast=True),
                       c3.to(word, bitcast=True), k0, k1, n_rounds)


@jit
def randint4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Makes four blocks of random 32-bit integers for each offset, for the work of one."""
    low = offset.to(tl.uint32)
    zero = low * 0
    high = (offset >> 32).to(tl.uint32) if offset.dtype.primitive_bitwidth > 32 else zero
    return philox(seed, low, high, zero, zero, n_rounds)


@jit
def randint(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Makes a random 32-bit integer for each offset."""
    return randint4x(seed, offset, n_rounds)[0]


@constexpr_function
def _spacing(word):
    """Returns a factor for signed words: the largest with which the greatest word stays below 1 when rounded."""
    return 4.6566127342e-10 if word == tl.uint32 else 1.0842020432385337e-19


@jit
def uint_to_uniform_float(x):
    """Turns random words into floats in [0, 1). A negative word counts as its complement, which is not negative."""
    word: tl.constexpr = _word_type(x.dtype, "random integers")
    n = x.to(tl.int32 if word == tl.uint32 else tl.int64, bitcast=True)
    spacing = _spacing(word)
    return tl.where(n < 0, -n - 1, n) * spacing


@jit
def rand(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Makes a float for each offset, uniform in [0, 1)."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Makes four blocks of floats, uniform in [0, 1)."""
    w0, w1, w2, w3 = randint4x(seed, offsets, n_rounds)
    return (uint_to_uniform_float(w0), uint_to_uniform_float(w1), uint_to_uniform_float(w2),
            uint_to_uniform_float(w3))


@jit
def pair_uniform_to_normal(u1, u2):
    """Turns two uniform numbers into two normal ones, a random point in polar coordinates (Box and Muller, 1958)."""
    above_zero = tl.maximum(1.0e-7, u1)  # zero has no logarithm
    angle = 6.283185307179586 * u2
    radius = math.sqrt(-2.0 * math.log(above_zero))
    return radius * math.cos(angle), radius * math.sin(angle)


@jit
def randn(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Makes a float for each offset, of mean 0 and deviation 1, normally distributed."""
    words = randint4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(uint_to_uniform_float(words[0]), uint_to_uniform_float(words[1]))[0]


@jit
def randn4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    """Makes four blocks of floats, of mean 0 and deviation 1, normally distributed."""
    u = rand4x(seed, offset, n_rounds)
    a, b = pair_uniform_to_normal(u[0], u[1])
    c, d = pair_uniform_to_normal(u[2], u[3])
    return a, b, c, d
