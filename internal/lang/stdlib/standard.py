"""What triton.language offers beyond its primitives, in the language itself.

Functions keep the names that Triton gives them, the private ones too: they are seen in the names of compiled functions.
"""
from triton import constexpr_function, jit
from triton.language import core, math


@constexpr_function
def _log2(n):
    return n.bit_length() - 1


@constexpr_function
def _is_power_of_two(n):
    return n > 0 and n & (n - 1) == 0


_get_int_dtype = constexpr_function(core.get_int_dtype)


@jit
def cdiv(x, div):
    """x / div, rounded up."""
    return (x + (div - 1)) // div


@jit
def sigmoid(x):
    """1 / (1 + exp(-x))"""
    return 1 / (1 + math.exp(-x))


@jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    """Softmax along one dimension, the first one unless told."""
    if dim is None:
        _dim: core.constexpr = 0
    else:
        _dim: core.constexpr = dim
    shifted = x - max(x, _dim, keep_dims=keep_dims)
    e = math.exp(shifted)
    total = sum(e, _dim, keep_dims=keep_dims)
    return math.fdiv(e, total, ieee_rounding)


@jit
def ravel(x, can_reorder=False):
    """All elements in one dimension."""
    return core.reshape(x, [x.numel], can_reorder=can_reorder)


@jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Walks a size_i x size_j matrix in groups of size_g rows, each group column by column."""
    flat = i * size_j + j
    per_group = size_g * size_j
    group = flat // per_group
    first = group * size_g
    rows = core.minimum(size_i - first, size_g)
    inside = flat % per_group
    return first + inside % rows, inside // rows


@jit
def zeros(shape, dtype):
    """A tensor of zeros."""
    return core.full(shape, 0, dtype)


@jit
def zeros_like(input):
    """Zeros in the shape and type of another tensor."""
    return zeros(input.shape, input.dtype)


# Largest and smallest


@jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    if tie_break_left:
        tie = value1 == value2 and index1 < index2
    else:
        tie = False
    first = value1 > value2 or tie
    return core.where(first, value1, value2), core.where(first, index1, index2)


@jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@jit
def _elementwise_max(a, b):
    return core.maximum(a, b)


@jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The largest element along an axis, with its index if asked for."""
    input = core._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            return core._reduce_with_indices(input, axis, _argmax_combine_tie_break_left, keep_dims=keep_dims)
        else:
            return core._reduce_with_indices(input, axis, _argmax_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        if input.dtype.primitive_bitwidth < 32:
            if input.dtype.is_floating():
                input = input.to(core.float32)
            else:
                assert input.dtype.is_int(), "expected integers"
                input = input.to(core.int32)
        return core.reduce(input, axis, _elementwise_max, keep_dims=keep_dims)


@jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the largest element along an axis."""
    _, index = max(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims)
    return index


@jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    if tie_break_left:
        tie = value1 == value2 and index1 < index2
    else:
        tie = False
    first = value1 < value2 or tie
    return core.where(first, value1, value2), core.where(first, index1, index2)


@jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


@jit
def _elementwise_min(a, b):
    return core.minimum(a, b)


@jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    """The smallest element along an axis, with its index if asked for."""
    input = core._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            return core._reduce_with_indices(input, axis, _argmin_combine_tie_break_left, keep_dims=keep_dims)
        else:
            return core._reduce_with_indices(input, axis, _argmin_combine_tie_break_fast, keep_dims=keep_dims)
    else:
        if input.dtype.primitive_bitwidth < 32:
            if input.dtype.is_floating():
                input = input.to(core.float32)
            else:
                assert input.dtype.is_int(), "expected integers"
                input = input.to(core.int32)
        return core.reduce(input, axis, _elementwise_min, keep_dims=keep_dims)


@jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    """The index of the smallest element along an axis."""
    _, index = min(input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims)
    return index


# Sums


@jit
def _sum_combine(a, b):
    return a + b


@constexpr_function
def _pick_sum_dtype(in_dtype, dtype):
    """The type to add up in: that asked for, or 32 bits for narrower integers, or None for the input's own."""
    if dtype is not None:
        return dtype
    if in_dtype.is_int_signed() and in_dtype.int_bitwidth < 32:
        return core.int32
    if in_dtype.is_int_unsigned() and in_dtype.int_bitwidth < 32:
        return core.uint32
    return None


@jit
def sum(input, axis=None, keep_dims=False, dtype: core.constexpr = None):
    """The sum along an axis."""
    out_dtype: core.constexpr = _pick_sum_dtype(input.dtype, dtype)
    if out_dtype is not None:
        input = input.to(out_dtype)
    return core.reduce(input, axis, _sum_combine, keep_dims=keep_dims)


@jit
def _xor_combine(a, b):
    return a ^ b


@jit
def xor_sum(input, axis=None, keep_dims=False):
    """The exclusive or of all elements along an axis."""
    core.static_assert(input.type.scalar.is_int(), "xor_sum only supported for integers")
    return core.reduce(input, axis, _xor_combine, keep_dims=keep_dims)


@jit
def _or_combine(x, y):
    return x | y


@jit
def reduce_or(input, axis, keep_dims=False):
    """The bitwise or of all elements along an axis."""
    core.static_assert(input.type.scalar.is_int(), "reduce_or only supported for integers")
    return core.reduce(input, axis, _or_combine, keep_dims=keep_dims)


@jit
def cumsum(input, axis=0, reverse=False, dtype: core.constexpr = None):
    """The running sum along an axis."""
    input = core._promote_bfloat16_to_float32(input)
    out_dtype: core.constexpr = _pick_sum_dtype(input.dtype, dtype)
    if out_dtype is not None:
        input = input.to(out_dtype)
    return core.associative_scan(input, axis, _sum_combine, reverse)


@jit
def _prod_combine(a, b):
    return a * b


@jit
def cumprod(input, axis=0, reverse=False):
    """The running product along an axis."""
    input = core._promote_bfloat16_to_float32(input)
    return core.associative_scan(input, axis, _prod_combine, reverse)


# Sorting: a bitonic network on the hypercube, one dimension of size 2 for each bit of an index.


@jit
def _indicator(n_dims: core.constexpr, j: core.constexpr):
    bit = core.arange(0, 2)
    bit = core.reshape(bit, [1] * (n_dims - j - 1) + [2] + [1] * j)
    return bit


@jit
def _compare_and_swap(x, flip, i: core.constexpr):
    """Orders the pairs that differ in bit i; flip turns the order around. The partner comes from an xor of both."""
    n_dims: core.constexpr = _log2(x.numel)
    idtype = _get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)
    ix = x.to(idtype, bitcast=True)
    iy = ix ^ xor_sum(ix, n_dims - 1 - i, True)
    y = iy.to(x.dtype, bitcast=True)
    is_right = _indicator(n_dims, i)
    return core.where((x > y) != (flip ^ is_right), y, x)


@jit
def _bitonic_merge_hypercube(x, stage: core.constexpr, order: core.constexpr):
    """Merges runs of 2**stage elements; order is 0 ascending, 1 descending, 2 alternating."""
    if order == 2:
        flip = _indicator(_log2(x.numel), stage)
    else:
        flip = order
    for i in core.static_range(stage):
        x = _compare_and_swap(x, flip, stage - 1 - i)
    return x


@jit
def _bitonic_merge(x, stage: core.constexpr, order: core.constexpr, n_dims: core.constexpr):
    h = core.reshape(x, [2] * _log2(x.numel))
    h = _bitonic_merge_hypercube(h, stage, order)
    x = core.reshape(h, x.shape)
    return x


@jit
def sort_impl(x, k: core.constexpr = None, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    """Sorts along the last dimension and keeps the first k elements."""
    _dim: core.constexpr = len(x.shape) - 1 if dim is None else dim
    core.static_assert(_dim == len(x.shape) - 1, "only minor dimension is currently supported")
    log_n: core.constexpr = _log2(x.shape[_dim])
    log_k: core.constexpr = log_n if k is None else _log2(k)
    n_dims: core.constexpr = _log2(x.numel)
    h = core.reshape(x, [2] * n_dims if n_dims else [1])
    for i in core.static_range(1, log_k + 1):
        h = _bitonic_merge_hypercube(h, i, 2 if i < log_n else descending)
    # Of two sorted runs of k, the better half of each pair holds the k best: halve until one run is left.
    for i in core.static_range(log_k + 1, log_n + 1):
        h = max(h, axis=(_log2(h.numel) - 1 - log_k)) if descending else min(h, axis=(_log2(h.numel) - 1 - log_k))
        h = _bitonic_merge_hypercube(h, log_k, 2 if i < log_n else descending)
    x = core.reshape(h, x.shape[:-1] + [2**log_k])
    return x


@jit
def sort(x, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    """Sorts along the last dimension."""
    return sort_impl(x, dim=dim, descending=descending)


@jit
def topk(x, k: core.constexpr, dim: core.constexpr = None):
    """The k largest elements along the last dimension, largest first."""
    return sort_impl(x, k=k, dim=dim, descending=True)


@jit
def bitonic_merge(x, dim: core.constexpr = None, descending: core.constexpr = core.CONSTEXPR_0):
    """Sorts along the last dimension what is a bitonic sequence there."""
    _dim: core.constexpr = len(x.shape) - 1 if dim is None else dim
    core.static_assert(_dim == len(x.shape) - 1, "only minor dimension is currently supported")
    n_dims: core.constexpr = _log2(x.shape[-1])
    return _bitonic_merge(x, n_dims, descending, n_dims)


# Rearranging


@constexpr_function
def _get_flip_dim(dim, shape):
    if dim is None:
        return len(shape) - 1
    return dim + len(shape) if dim < 0 else dim


@jit
def flip(x, dim=None):
    """Turns a dimension around: an xor with the pair's xor swaps the halves, once for each bit of the index."""
    core.static_assert(dim is None or -len(x.shape) <= dim and dim < len(x.shape))
    _dim: core.constexpr = _get_flip_dim(dim, x.shape)
    core.static_assert(_is_power_of_two(x.shape[_dim]))
    steps: core.constexpr = _log2(x.shape[_dim])
    idtype = _get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)
    y = core.reshape(x.to(idtype, bitcast=True), x.shape[:_dim] + [2] * steps + x.shape[_dim + 1:])
    for i in core.static_range(steps):
        y = y ^ xor_sum(y, _dim + i, True)
    x = core.reshape(y, x.shape).to(x.dtype, bitcast=True)
    return x


@jit
def interleave(a, b):
    """The elements of two tensors in turn, along the last dimension."""
    c = core.join(a, b)
    if len(c.shape) == 1:
        return c
    else:
        return core.reshape(c, c.shape[:-2] + [2 * c.shape[-2]])
