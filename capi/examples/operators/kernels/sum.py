"""Sums over some dimensions of a tensor of any strides; out is contiguous."""

import triton
import triton.language as tl

from precision import wide
from strided import offset_of


@triton.jit
def sum_dims(x_ptr, out_ptr, m, n, kept_sizes, kept_strides, summed_sizes, summed_strides,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """sum_dims writes m sums of n elements each; a program makes BLOCK_M of them."""
    dtype: tl.constexpr = out_ptr.dtype.element_ty
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    starts = x_ptr + offset_of(rows, kept_sizes, kept_strides)
    total = tl.zeros([BLOCK_M, BLOCK_N], dtype=wide(dtype))
    for first in range(0, n, BLOCK_N):
        cols = first + tl.arange(0, BLOCK_N)
        mask = (rows < m)[:, None] & (cols < n)[None, :]
        x = tl.load(starts[:, None] + offset_of(cols, summed_sizes, summed_strides)[None, :], mask=mask, other=0)
        total += x.to(total.dtype)
    tl.store(out_ptr + rows, tl.sum(total, axis=1).to(dtype), mask=rows < m)
