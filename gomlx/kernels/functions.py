"""Functions of elements that generated kernels use."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def logistic(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def rsqrt(x):
    return 1 / libdevice.sqrt(x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def gelu_tanh(x):
    # 0.5 * (1 + tanh(u)) is sigmoid(2 * u)
    u = 1.5957691216057308 * (x + 0.044715 * x * x * x)
    return x / (1 + tl.exp(-u))


@triton.jit
def sign(x):
    return tl.where(x > 0, 1, tl.where(x < 0, -1, x)).to(x.dtype)


@triton.jit
def maximum(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def minimum(x, y):
    return tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def quotient(x, y):
    """x / y rounded toward 0; -1 for y == 0. Machines trap on 0 and on the lowest number by -1."""
    safe = tl.where((y == 0) | (y == -1), 1, y).to(y.dtype)
    q = x // safe
    return tl.where(y == 0, -1, tl.where(y == -1, -x, q)).to(x.dtype)


@triton.jit
def remainder(x, y):
    """The remainder of quotient, with the sign of x; x for y == 0."""
    safe = tl.where((y == 0) | (y == -1), 1, y).to(y.dtype)
    r = x % safe
    return tl.where(y == 0, x, tl.where(y == -1, 0, r)).to(x.dtype)


@triton.jit
def unsigned_quotient(x, y):
    safe = tl.where(y == 0, 1, y).to(y.dtype)
    return tl.where(y == 0, ~(x & 0), x // safe).to(x.dtype)


@triton.jit
def unsigned_remainder(x, y):
    safe = tl.where(y == 0, 1, y).to(y.dtype)
    return tl.where(y == 0, x, x % safe).to(x.dtype)


@triton.jit
def power(x, y):
    """x to the power y of integers; for y < 0, 0 unless x is 1 or -1."""
    result = (x & 0) + 1
    base = x
    rest = y
    for _ in tl.static_range(6):
        result = tl.where((rest & 1) != 0, result * base, result).to(x.dtype)
        base = base * base
        rest = rest >> 1
    small = tl.where(x == 1, 1, tl.where(x + 1 == 0, tl.where((y & 1) != 0, x, 1), 0))
    return tl.where(y < 0, small, result).to(x.dtype)


@triton.jit
def bit_count(x):
    v = widened(x)
    v = v - ((v >> 1) & 0x5555555555555555)
    v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((v + (v >> 8) + (v >> 16) + (v >> 24) + (v >> 32) + (v >> 40) + (v >> 48) + (v >> 56)) &
            0xFF).to(x.dtype)


@triton.jit
def widened(x):
    """The bits of an integer in 64 bits, zeros before them."""
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    v = x.to(tl.uint64)
    if bits < 64:
        v = v & ((1 << bits) - 1)
    return v


@triton.jit
def leading_zeros(x):
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    v = widened(x)
    v = v | (v >> 1)
    v = v | (v >> 2)
    v = v | (v >> 4)
    v = v | (v >> 8)
    v = v | (v >> 16)
    v = v | (v >> 32)
    return (bits - bit_count(v).to(tl.int32)).to(x.dtype)


@triton.jit
def shift_left(x, n, bits: tl.constexpr):
    inside = (n >= 0) & (n < bits)
    by = tl.where(inside, n, 0).to(x.dtype)
    return tl.where(inside, x << by, 0).to(x.dtype)


@triton.jit
def shift_right(x, n, bits: tl.constexpr):
    inside = (n >= 0) & (n < bits)
    by = tl.where(inside, n, 0).to(x.dtype)
    return tl.where(inside, x >> by, 0).to(x.dtype)


@triton.jit
def shift_right_signed(x, n, bits: tl.constexpr):
    inside = (n >= 0) & (n < bits)
    by = tl.where(inside, n, bits - 1).to(x.dtype)
    return x >> by


@triton.jit
def order(x, T: tl.constexpr):
    """An integer whose order is the total order of floats."""
    bits = x.to(T, bitcast=True)
    size: tl.constexpr = T.primitive_bitwidth
    return tl.where(bits < 0, bits ^ ((1 << (size - 1)) - 1), bits)


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def mul(x, y):
    return x * y


@triton.jit
def max_of(x, y):
    return tl.maximum(x, y)


@triton.jit
def min_of(x, y):
    return tl.minimum(x, y)


@triton.jit
def and_of(x, y):
    return x & y


@triton.jit
def or_of(x, y):
    return x | y


@triton.jit
def xor_of(x, y):
    return x ^ y


@triton.jit
def first_max(x, i, y, j):
    """The greater of two values with its index. NaN is greater than all; of equal values the first index
    wins."""
    left = (x > y) | ((x != x) & (y == y)) | (((x == y) | ((x != x) & (y != y))) & (i < j))
    return tl.where(left, x, y), tl.where(left, i, j)


@triton.jit
def first_min(x, i, y, j):
    """The smaller of two values with its index. NaN is smaller than all; of equal values the first index
    wins."""
    left = (x < y) | ((x != x) & (y == y)) | (((x == y) | ((x != x) & (y != y))) & (i < j))
    return tl.where(left, x, y), tl.where(left, i, j)
