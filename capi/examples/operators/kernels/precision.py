"""The types that sums and quotients are computed in."""

import triton
import triton.language as tl


@triton.jit
def wide(dtype: tl.constexpr):
    """wide returns fp32 for floats of fewer bits, and dtype itself for all other types."""
    if dtype.is_floating() and dtype.primitive_bitwidth < 32:
        return tl.constexpr(tl.float32)
    else:
        return dtype
