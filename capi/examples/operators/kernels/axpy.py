"""out = a * x + y; a and y may be None."""

import triton
import triton.language as tl


@triton.jit
def axpy(x_ptr, y_ptr, out_ptr, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    dtype: tl.constexpr = out_ptr.dtype.element_ty
    value = tl.load(x_ptr + at, mask=mask).to(dtype)
    if a is not None:
        value = a * value
    if y_ptr is not None:
        value += tl.load(y_ptr + at, mask=mask).to(dtype)
    tl.store(out_ptr + at, value, mask=mask)
