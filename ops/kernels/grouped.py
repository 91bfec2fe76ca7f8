"""Weights of 4 or 8 bits with a scale and a zero for each group of rows, as files of AWQ and GPTQ have
them."""
import functions
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def epilogue(x):
    return x


@triton.jit
def grouped(weights, zeros, scales, order, k, n, K, N, group, BITS: tl.constexpr, COLUMNS: tl.constexpr,
            LESS_ONE: tl.constexpr):
    """The weights at rows k, a column, and columns n, a row. Words hold rows of one column, or, if COLUMNS is
    set, columns of one row in the order 0 2 4 6 1 3 5 7. Zeros lie in words of columns. LESS_ONE says that
    zeros are stored less 1. order has the group of each row, if it is not that of its number."""
    PER: tl.constexpr = 32 // BITS
    LOW: tl.constexpr = (1 << BITS) - 1
    inside = (k < K) & (n < N)
    if COLUMNS:
        word = tl.load(weights + k * (N // PER) + n // PER, mask=inside, other=0)
        shift = (n % PER // 2 + n % 2 * (PER // 2)) * BITS
        zero_shift = shift
    else:
        word = tl.load(weights + k // PER * N + n, mask=inside, other=0)
        shift = k % PER * BITS
        zero_shift = n % PER * BITS
    if order is None:
        g = k // group
    else:
        g = tl.load(order + k, mask=k < K, other=0)
    zero = (tl.load(zeros + g * (N // PER) + n // PER, mask=inside, other=0) >> zero_shift) & LOW
    if LESS_ONE:
        zero += 1
    scale = tl.load(scales + g * N + n, mask=inside, other=0.0).to(tl.float32)
    return (((word >> shift) & LOW) - zero).to(tl.float32) * scale


@triton.jit
def dequantize_grouped_kernel(weights, zeros, scales, order, out, K, N, group, BITS: tl.constexpr,
                              COLUMNS: tl.constexpr, LESS_ONE: tl.constexpr, R: tl.constexpr,
                              C: tl.constexpr):
    k = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    n = tl.program_id(1) * C + tl.arange(0, C)[None, :]
    w = grouped(weights, zeros, scales, order, k, n, K, N, group, BITS, COLUMNS, LESS_ONE)
    tl.store(out + k.to(tl.int64) * N + n, w.to(out.dtype.element_ty), mask=(k < K) & (n < N))


@triton.jit
def grouped_kernel(x, weights, zeros, scales, order, out, bias, plus, M, N, K, group, stride_xm, stride_xk,
                   stride_om, stride_on, stride_bias, stride_pm, stride_pn, BITS: tl.constexpr,
                   COLUMNS: tl.constexpr, LESS_ONE: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, TYPE: tl.constexpr):
    """out = epilogue(x @ w + bias) + plus, for few rows of x: weights become TYPE on their way to the
    product."""
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(x + rows[:, None] * stride_xm + k[None, :] * stride_xk,
                    mask=(rows < M)[:, None] & (k < K)[None, :], other=0.0)
        w = grouped(weights, zeros, scales, order, k[:, None], cols[None, :], K, N, group, BITS, COLUMNS,
                    LESS_ONE)
        acc = tl.dot(a.to(TYPE), w.to(TYPE), acc, input_precision="ieee")
    inside = (rows < M)[:, None] & (cols < N)[None, :]
    if bias is not None:
        acc += tl.load(bias + cols * stride_bias, mask=cols < N, other=0.0)[None, :].to(tl.float32)
    c = epilogue(acc)
    if plus is not None:
        c += tl.load(plus + rows[:, None] * stride_pm + cols[None, :] * stride_pn, mask=inside,
                     other=0.0).to(c.dtype)
    tl.store(out + rows[:, None] * stride_om + cols[None, :] * stride_on, c.to(out.dtype.element_ty),
             mask=inside)
