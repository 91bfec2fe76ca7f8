"""The part of triton.language that is written in the language itself.

Two ideas carry it. A reduction or a scan is a function of two elements that core.reduce or core.associative_scan
applies over and over. And a block of 2**n elements is a cube of n dimensions of size 2, one for each bit of an index:
the elements whose indices differ in one bit are neighbours along one dimension.

Names, parameters and results of the public functions are the language's. A name that begins with an underscore is
ours, except those at the end of the file.
"""
from triton import constexpr_function, jit
from triton.language import core, math

_int_of_width = constexpr_function(core.get_int_dtype)


@constexpr_function
def _exponent(n):
    """Returns the largest e with 2**e <= n."""
    return n.bit_length() - 1


@constexpr_function
def _is_exact(n):
    """Reports whether n is a power of two."""
    return n == 1 << n.bit_length() >> 1 and n > 0


@constexpr_function
def _cube_of(n):
    """Returns the shape of n elements with a dimension for each bit of their index."""
    return [2] * (n.bit_length() - 1) or [1]


# Arithmetic


@jit
def cdiv(x, div):
    """Divides and rounds up."""
    # without a name for it, div - 1 stays a constant where div is one
    return (x + (div - 1)) // div


@jit
def sigmoid(x):
    """Computes the logistic function, 1 / (1 + e**-x)."""
    decay = math.exp(-x)
    return 1 / (1 + decay)


@jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """Computes e**x over its sum along dim, by default the first; no power overflows, since the largest is e**0."""
    axis: core.constexpr = 0 if dim is None else dim
    powers = math.exp(x - max(x, axis, keep_dims=keep_dims))
    return math.fdiv(powers, sum(powers, axis, keep_dims=keep_dims), ieee_rounding)


# Blocks and indices


@jit
def zeros(shape, dtype):
    """Makes a block of zeros."""
    return core.full(shape, value=0, dtype=dtype)


@jit
def zeros_like(input):
    """Makes a block of zeros with the shape and type of another."""
    return core.full(input.shape, value=0, dtype=input.dtype)


@jit
def ravel(x, can_reorder=False):
    """Puts all elements into one dimension."""
    return x.reshape(x.numel, can_reorder=can_reorder)


@jit
def interleave(a, b):
    """Takes elements from a and b in turn, along the last dimension; of two scalars it makes a block of two."""
    pairs = core.join(a, b)
    if len(pairs.shape) > 1:
        pairs = pairs.reshape(pairs.shape[:-2] + [2 * pairs.shape[-2]])
    return pairs


@jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Walks a matrix of size_i x size_j in bands of size_g rows, each band column by column.

    Maps the step of a walk by rows, step i * size_j + j, to the row and column that the walk by bands is at.
    """
    step = i * size_j + j
    band_area = size_g * size_j
    top = step // band_area * size_g
    height = core.minimum(size_i - top, size_g)  # the last band may be lower
    step = step % band_area
    return top + step % height, step // height


# The largest and the smallest. NaN loses against every number.


@constexpr_function
def _compared_as(dtype, indexed):
    """Returns the type that elements of a type are compared in.

    It has 32 bits at least; elements that carry an index keep their type, unless it is bfloat16.
    """
    if dtype.primitive_bitwidth >= 32 or indexed and not dtype.is_bf16():
        return dtype
    return core.float32 if dtype.is_floating() else core.int32


@jit
def _larger(p, q):
    return core.maximum(p, q)


@jit
def _smaller(p, q):
    return core.minimum(p, q)


@jit
def _select(left, p, i, q, j):
    """Returns p with its index i where left holds, and q with its index j elsewhere."""
    return core.where(left, p, q), core.where(left, i, j)


@jit
def _any_larger(p, i, q, j):
    return _select(p > q, p, i, q, j)


@jit
def _first_larger(p, i, q, j):
    earlier = p == q and i < j
    return _select(p > q or earlier, p, i, q, j)


@jit
def _any_smaller(p, i, q, j):
    return _select(p < q, p, i, q, j)


@jit
def _first_smaller(p, i, q, j):
    earlier = p == q and i < j
    return _select(p < q or earlier, p, i, q, j)


@jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """Finds the largest element along an axis, with return_indices its index too.

    Of equal elements the first is taken, or any without return_indices_tie_break_left, which is quicker.
    """
    input = input.to(_compared_as(input.dtype, return_indices))
    if not return_indices:
        return core.reduce(input, axis, _larger, keep_dims=keep_dims)
    elif return_indices_tie_break_left:
        return core._reduce_with_indices(input, axis, _first_larger, keep_dims=keep_dims)
    else:
        return core._reduce_with_indices(input, axis, _any_larger, keep_dims=keep_dims)


@jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """Finds the smallest element along an axis; the parameters are those of max."""
    input = input.to(_compared_as(input.dtype, return_indices))
    if not return_indices:
        return core.reduce(input, axis, _smaller, keep_dims=keep_dims)
    elif return_indices_tie_break_left:
        return core._reduce_with_indices(input, axis, _first_smaller, keep_dims=keep_dims)
    else:
        return core._reduce_with_indices(input, axis, _any_smaller, keep_dims=keep_dims)


@jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """Finds the index of the largest element along an axis."""
    return max(input, axis, True, tie_break_left, keep_dims)[1]


@jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """Finds the index of the smallest element along an axis."""
    return min(input, axis, True, tie_break_left, keep_dims)[1]


# Sums and products


@constexpr_function
def _added_as(dtype, asked):
    """Returns the type to add elements in: the one asked for, else 32 bits for narrower integers, else their own."""
    if asked is not None:
        return asked
    if dtype.is_floating() or dtype.primitive_bitwidth >= 32:
        return dtype
    return core.int32 if dtype.is_int_signed() else core.uint32


@jit
def _plus(p, q):
    return p + q


@jit
def _times(p, q):
    return p * q


@jit
def _xor(p, q):
    return p ^ q


@jit
def _or(p, q):
    return p | q


@jit
def sum(input, axis=None, keep_dims=False, dtype: core.constexpr = None):
    """Adds the elements along an axis."""
    input = input.to(_added_as(input.dtype, dtype))
    return core.reduce(input, axis, _plus, keep_dims=keep_dims)


@jit
def xor_sum(input, axis=None, keep_dims=False):
    """Combines the bits of integers along an axis by exclusive or."""
    core.static_assert(input.dtype.is_int(), f"xor_sum combines the bits of integers, but these are {input.dtype}")
    return core.reduce(input, axis, _xor, keep_dims=keep_dims)


@jit
def reduce_or(input, axis, keep_dims=False):
    """Combines the bits of integers along an axis by or."""
    core.static_assert(input.dtype.is_int(), f"reduce_or combines the bits of integers, but these are {input.dtype}")
    return core.reduce(input, axis, _or, keep_dims=keep_dims)


@jit
def cumsum(input, axis=0, reverse=False, dtype: core.constexpr = None):
    """Adds up to each element along an axis, from its end if reverse. bfloat16 is added in float32."""
    input = core._promote_bfloat16_to_float32(input)
    input = input.to(_added_as(input.dtype, dtype))
    return core.associative_scan(input, axis, _plus, reverse)


@jit
def cumprod(input, axis=0, reverse=False):
    """Multiplies up to each element along an axis, from its end if reverse. bfloat16 is multiplied in float32."""
    return core.associative_scan(core._promote_bfloat16_to_float32(input), axis, _times, reverse)


# Sorting: Batcher's bitonic network, on the cube. Bit 0 of an index is the last dimension.


@jit
def _swap_halves(x, axis: core.constexpr):
    """Swaps the two neighbours along an axis of size 2: the exclusive or of both, put upon each, leaves the other."""
    bits = x.to(_int_of_width(bitwidth=x.dtype.primitive_bitwidth, signed=True), bitcast=True)
    other = bits ^ xor_sum(bits, axis, True)
    return other.to(x.dtype, bitcast=True)


@jit
def _bit(cube, b: core.constexpr):
    """Makes a block of bit b of the index, 0 or 1, that broadcasts to a cube."""
    rank: core.constexpr = _exponent(cube.numel)
    return core.arange(0, 2).reshape([1] * (rank - b - 1) + [2] + [1] * b)


@jit
def _order_pairs(cube, turned, b: core.constexpr):
    """Orders the pairs that differ in bit b: the smaller element first, or last where turned is 1."""
    other = _swap_halves(cube, _exponent(cube.numel) - 1 - b)
    second = _bit(cube, b)
    return core.where((cube > other) != (turned ^ second), other, cube)


@jit
def _merge(cube, size: core.constexpr, descending: core.constexpr):
    """Sorts bitonic runs of 2**size elements. With None for descending, every other run is sorted downwards,
    so that two runs together are bitonic again.
    """
    if descending is None:
        turned = _bit(cube, size)
    else:
        turned = descending
    for b in core.static_range(size - 1, -1, -1):
        cube = _order_pairs(cube, turned, b)
    return cube


@jit
def _better_of_pairs(cube, b: core.constexpr, descending: core.constexpr):
    """Keeps of the pairs that differ in bit b the larger element, or the smaller unless descending."""
    axis: core.constexpr = _exponent(cube.numel) - 1 - b
    return max(cube, axis) if descending else min(cube, axis)


@jit
def _check_last(rank: core.constexpr, dim: core.constexpr):
    core.static_assert(dim is None or dim == rank - 1,
                       f"elements are sorted along the last dimension, {rank - 1}, but dim is {dim}; "
                       "tl.permute makes another dimension the last")


@jit
def sort_impl(x, k: core.constexpr = None, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    """Sorts along the last dimension and keeps the first k elements, a power of two, or all of them.

    Runs double from level to level until they have k elements. From there on only the better element of each pair
    is kept: of two runs sorted in opposite directions these are the k best of both, in bitonic order.
    """
    _check_last(len(x.shape), dim)
    levels: core.constexpr = _exponent(x.shape[-1])
    limit: core.constexpr = levels if k is None else _exponent(k)
    cube = x.reshape(_cube_of(x.numel))
    for level in core.static_range(1, levels + 1):
        if level > limit:
            cube = _better_of_pairs(cube, limit, descending)
        cube = _merge(cube, level if level < limit else limit, descending if level == levels else None)
    return cube.reshape(x.shape[:-1] + [1 << limit])


@jit
def sort(x, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    """Sorts along the last dimension."""
    return sort_impl(x, None, dim, descending)


@jit
def topk(x, k: core.constexpr, dim: core.constexpr = None):
    """Finds the k largest elements along the last dimension, the largest first."""
    return sort_impl(x, k, dim, True)


@jit
def bitonic_merge(x, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    """Sorts along the last dimension elements that first rise and then fall there, or the other way round."""
    _check_last(len(x.shape), dim)
    cube = _merge(x.reshape(_cube_of(x.numel)), _exponent(x.shape[-1]), descending)
    return cube.reshape(x.shape)


@constexpr_function
def _index_of(dim, rank):
    """Returns dim counted from the front, or the last dimension for None; None where there is no such dimension."""
    if dim is None:
        return rank - 1
    return dim % rank if -rank <= dim < rank else None


@jit
def flip(x, dim=None):
    """Turns the order along a dimension around, by default the last: it turns every bit of the index there."""
    axis: core.constexpr = _index_of(dim, len(x.shape))
    core.static_assert(axis is not None, f"flip was given dimension {dim} of a block that has {len(x.shape)}")
    n: core.constexpr = x.shape[axis]
    core.static_assert(_is_exact(n), f"flip takes a dimension whose size is a power of two, not {n}")
    bits = x.to(_int_of_width(bitwidth=x.dtype.primitive_bitwidth, signed=True), bitcast=True)
    bits = bits.reshape(x.shape[:axis] + [2] * _exponent(n) + x.shape[axis + 1:])
    for b in core.static_range(_exponent(n)):
        bits = _swap_halves(bits, axis + b)
    return bits.reshape(x.shape).to(x.dtype, bitcast=True)


# Kernels of public projects use these names, although Triton keeps them to itself.


@jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    earlier = tie_break_left and value1 == value2 and index1 < index2
    return _select(value1 > value2 or earlier, value1, index1, value2, index2)


@jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    earlier = tie_break_left and value1 == value2 and index1 < index2
    return _select(value1 < value2 or earlier, value1, index1, value2, index2)


_log2 = _exponent
_is_power_of_two = _is_exact
_get_int_dtype = _int_of_width
_elementwise_max = _larger
_elementwise_min = _smaller
_argmax_combine_tie_break_left = _first_larger
_argmax_combine_tie_break_fast = _any_larger
_argmin_combine_tie_break_left = _first_smaller
_argmin_combine_tie_break_fast = _any_smaller
_pick_sum_dtype = _added_as
_sum_combine = _plus
_prod_combine = _times
_xor_combine = _xor
_or_combine = _or
