"""Where an element lies in a tensor of any rank: sizes and strides are tuples, outermost dimension first."""

import triton
import triton.language as tl


@triton.jit
def offset_of(index, sizes, strides):
    """offset_of returns the offset of the index-th element, counted in the order of sizes."""
    offset = index * 0
    for i in tl.static_range(len(sizes)):
        size = sizes[len(sizes) - 1 - i]
        offset += index % size * strides[len(sizes) - 1 - i]
        index = index // size
    return offset
