"""out = x / sqrt(mean(x²) + eps) * weight, over the rows of a matrix; weight may be None."""

import triton
import triton.language as tl

from precision import wide


@triton.jit
def rms_norm(x_ptr, weight_ptr, out_ptr, n, x_stride, out_stride, eps, BLOCK: tl.constexpr):
    dtype: tl.constexpr = wide(out_ptr.dtype.element_ty)
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_stride
    out_ptr += row * out_stride
    at = tl.arange(0, BLOCK)
    squares = tl.zeros([BLOCK], dtype)
    for first in range(0, n, BLOCK):
        x = tl.load(x_ptr + first + at, mask=first + at < n, other=0).to(dtype)
        squares += x * x
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    for first in range(0, n, BLOCK):
        mask = first + at < n
        value = tl.load(x_ptr + first + at, mask=mask).to(dtype) * scale
        if weight_ptr is not None:
            value *= tl.load(weight_ptr + first + at, mask=mask).to(dtype)
        tl.store(out_ptr + first + at, value, mask=mask)
