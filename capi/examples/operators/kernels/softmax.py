"""Softmax over one dimension of a tensor of any strides; out has its own strides."""

import triton
import triton.language as tl

from precision import wide
from strided import offset_of


@triton.jit
def softmax_tile(x_ptr, out_ptr, n, x_stride, out_stride, sizes, x_strides, out_strides, BLOCK: tl.constexpr):
    """softmax_tile makes one row, which fits into a tile."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += offset_of(row, sizes, x_strides)
    out_ptr += offset_of(row, sizes, out_strides)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at * x_stride, mask=at < n, other=float("-inf")).to(wide(out_ptr.dtype.element_ty))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + at * out_stride, e / tl.sum(e, axis=0), mask=at < n)


@triton.jit
def softmax_loop(x_ptr, out_ptr, n, x_stride, out_stride, sizes, x_strides, out_strides, BLOCK: tl.constexpr):
    """softmax_loop reads a longer row twice: for the maximum and the sum together, then for the quotients."""
    dtype: tl.constexpr = wide(out_ptr.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64)
    x_ptr += offset_of(row, sizes, x_strides)
    out_ptr += offset_of(row, sizes, out_strides)
    at = tl.arange(0, BLOCK)
    top = tl.full([BLOCK], float("-inf"), dtype)
    total = tl.zeros([BLOCK], dtype)
    for first in range(0, n, BLOCK):
        x = tl.load(x_ptr + (first + at) * x_stride, mask=first + at < n, other=float("-inf")).to(dtype)
        top_before = top
        top = tl.maximum(top, x)
        # A lane that has seen nothing above -inf subtracts 0: -inf minus -inf would be NaN.
        base = tl.where(top == float("-inf"), 0, top)
        total = total * tl.exp(top_before - base) + tl.exp(x - base)
    peak = tl.max(top, axis=0)
    scale = 1 / tl.sum(total * tl.exp(top - peak), axis=0)
    for first in range(0, n, BLOCK):
        x = tl.load(x_ptr + (first + at) * x_stride, mask=first + at < n).to(dtype)
        tl.store(out_ptr + (first + at) * out_stride, tl.exp(x - peak) * scale, mask=first + at < n)
