

# Since 3.9: bfloat16 is compared, added and multiplied as it is.


@jit
def softmax(x, dim=None, *, keep_dims=None, ieee_rounding=False):
    """Computes e**x over its sum along dim, by default the first; no power overflows, since the largest is e**0."""
    axis: core.constexpr = 0 if dim is None else dim
    powers = math.exp(x - max(x, axis, keep_dims=True))
    return math.fdiv(powers, sum(powers, axis, keep_dims=True), ieee_rounding)


@constexpr_function
def _compared_as(dtype, indexed):
    """Returns the type that elements of a type are compared in: 32 bits at least without an index, else their own."""
    if dtype.primitive_bitwidth >= 32 or indexed:
        return dtype
    return core.float32 if dtype.is_floating() else core.int32


@jit
def cumsum(input, axis=0, reverse=False, dtype: core.constexpr = None):
    """Adds up to each element along an axis, from its end if reverse."""
    return core.associative_scan(input.to(_added_as(input.dtype, dtype)), axis, _plus, reverse)


@jit
def cumprod(input, axis=0, reverse=False, dtype: core.constexpr = None):
    """Multiplies up to each element along an axis, from its end if reverse."""
    return core.associative_scan(input.to(_added_as(input.dtype, dtype)), axis, _times, reverse)


@jit
def _order_pairs(cube, turned, b: core.constexpr):
    """Orders the pairs that differ in bit b: the smaller element first, or last where turned is 1."""
    other = _swap_halves(cube, _exponent(cube.numel) - 1 - b)
    second = _bit(cube, b)
    return core.where((cube > other) != (turned ^ second).to(core.int1), other, cube)


@jit
def _sorted_cube(x, levels: core.constexpr, limit: core.constexpr, descending: core.constexpr):
    """Sorts runs of 2**limit elements and keeps the best of them, as the older sort_impl does."""
    cube = x.reshape(_cube_of(x.numel))
    for level in core.static_range(1, levels + 1):
        if level > limit:
            cube = _better_of_pairs(cube, limit, descending)
        cube = _merge(cube, level if level < limit else limit, descending if level == levels else None)
    return cube.reshape(x.shape[:-1] + [1 << limit])


@jit
def sort_impl(x, k: core.constexpr = None, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    """Sorts along the last dimension and keeps the first k elements, a power of two, or all of them.

    The best alone needs no sorting.
    """
    _check_last(len(x.shape), dim)
    n: core.constexpr = x.shape[-1]
    core.static_assert(k is None or _is_exact(k) and k <= n,
                       f"topk keeps a power of two of the {n} elements along a dimension, not {k}")
    limit: core.constexpr = _exponent(n) if k is None else _exponent(k)
    if limit == 0:
        return max(x, -1, keep_dims=True) if descending else min(x, -1, keep_dims=True)
    else:
        return _sorted_cube(x, _exponent(n), limit, descending)


@constexpr_function
def _front(dim, rank):
    """Returns a dimension counted from the front; None where there is no such dimension."""
    return dim % rank if -rank <= dim < rank else None


@jit
def squeeze(x, dim: core.constexpr):
    """Drops a dimension of size 1."""
    at: core.constexpr = _front(dim, len(x.shape))
    core.static_assert(at is not None, f"squeeze was given dimension {dim} of a block that has {len(x.shape)}")
    core.static_assert(x.shape[at] == 1, f"squeeze drops dimensions of size 1, but dimension {dim} has {x.shape[at]}")
    return x.reshape(x.shape[:at] + x.shape[at + 1:])


@jit
def unsqueeze(x, dim: core.constexpr):
    """Adds a dimension of size 1."""
    at: core.constexpr = _front(dim, len(x.shape) + 1)
    core.static_assert(at is not None, f"unsqueeze was given dimension {dim} for a block that has {len(x.shape)}")
    return x.reshape(x.shape[:at] + (1, ) + x.shape[at:])
