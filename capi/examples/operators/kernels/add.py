"""out = x + y, with broadcasting (a stride of 0 repeats an element) and promotion to out's type."""

import triton
import triton.language as tl

from strided import offset_of


@triton.jit
def plus(x, y, dtype: tl.constexpr):
    """plus adds in dtype; the sum of two bools is their disjunction, as in PyTorch."""
    if dtype == tl.int1:
        return x | y
    else:
        return x.to(dtype) + y.to(dtype)


@triton.jit
def add_flat(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """add_flat adds tensors whose elements lie one after the other, in the same order."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask)
    y = tl.load(y_ptr + at, mask=mask)
    tl.store(out_ptr + at, plus(x, y, out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def add_strided(x_ptr, y_ptr, out_ptr, n, sizes, x_strides, y_strides, BLOCK: tl.constexpr):
    """add_strided adds tensors of any strides; out is contiguous and has the shape sizes."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + offset_of(at, sizes, x_strides), mask=mask)
    y = tl.load(y_ptr + offset_of(at, sizes, y_strides), mask=mask)
    tl.store(out_ptr + at, plus(x, y, out_ptr.dtype.element_ty), mask=mask)
