

# Since 3.8


@jit
def uint_to_uniform_float(x):
    """Turns random words into floats in [0, 1). A negative word counts as its complement, which is not negative."""
    word: tl.constexpr = _word_type(x.dtype, "random integers")
    n = x.to(tl.int32 if word == tl.uint32 else tl.int64, bitcast=True)
    spacing = _spacing(word)
    return tl.where(n < 0, ~n, n) * spacing
