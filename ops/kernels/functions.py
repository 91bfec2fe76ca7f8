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
def tanh_short(x):
    """tanh with an error of some 5e-7, for results that are rounded to 16 bits: without branches, by half as
    many instructions."""
    e = tl.exp(-2 * tl.abs(x))
    far = (1 - e) / (1 + e)
    s = x * x
    close = x * (1 + s * (-0.33333333 + s * (0.13333333 + s * -0.05396825)))
    return tl.where(tl.abs(x) < 0.25, close, tl.where(x < 0, -far, far))


@triton.jit
def sign(x):
    one = tl.full([], 1, x.dtype)
    return tl.where(x > 0, one, tl.where(x < 0, -one, x))


@triton.jit
def negative(x):
    """-x. Triton's own is 0 - x, which is 0 for 0."""
    if x.dtype.is_floating():
        return x * -1.0
    else:
        return -x


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


@triton.jit
def lead():
    """Lets the next kernel begin, which waits for the end of this one where it must."""
    gdc_launch_dependents()


@triton.jit
def peak_and_sum(row, cols, BLOCK: tl.constexpr):
    """The largest element of a row, and the sum of exp of all elements less that one, block by block."""
    peak = -float("inf")
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        x = tl.load(row + col, mask=col < cols, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(peak, tl.max(x, 0))
        base = tl.where(higher == -float("inf"), 0.0, higher)  # -inf alone fades to 0 and not to NaN
        total = total * tl.exp(peak - base) + tl.exp(x - base)
        peak = higher
    return peak, tl.sum(total, 0)


@triton.jit
def log_sum_exp(row, cols, BLOCK: tl.constexpr):
    """The logarithm of the sum of exp of a row."""
    peak, total = peak_and_sum(row, cols, BLOCK)
    return tl.log(total) + peak


@triton.jit
def tile_of_queries(heads, group, CAUSAL: tl.constexpr):
    """Which block of queries a program of attention computes, of which sequence and head, and the head of its
    keys; group heads share one of keys. The second axis of the grid has the heads of all sequences."""
    tile = tl.program_id(0)
    if CAUSAL:  # the programs with the most keys first
        tile = tl.num_programs(0) - 1 - tile
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    kv_head = (tl.program_id(1) % heads // group).to(tl.int64)
    return tile, batch, head, kv_head
