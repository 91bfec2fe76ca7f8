"""Functions of numbers that generated kernels and the kernels of this folder share."""
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def silu(x):
    return x / (1 + tl.exp(-x))


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def gelu_tanh(x):
    # 0.5 * (1 + tanh(u)) is sigmoid(2 * u)
    u = 1.5957691216057308 * (x + 0.044715 * x * x * x)
    return x / (1 + tl.exp(-u))


@triton.jit
def softplus(x):
    # log(1 + exp(x)) without overflow
    return tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL) + libdevice.log1p(tl.exp(-tl.abs(x)))


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
def add(x, y):
    return x + y


@triton.jit
def mul(x, y):
    return x * y


@triton.jit
def any_of(x, y):
    return x | y


@triton.jit
def all_of(x, y):
    return x & y


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


@triton.jit
def wait(OVERLAP: tl.constexpr):
    """In kernels that may begin before the one before them has ended: waits for its end, and lets the next
    kernel begin. What an earlier kernel may have written is read behind this, and everything is written
    behind it."""
    if OVERLAP:
        gdc_wait()
        gdc_launch_dependents()
