"""Rotary position embedding: pairs of a head's elements are turned by the angle of the token's position."""

import triton
import triton.language as tl

from precision import wide


@triton.jit
def rope(x_ptr, out_ptr, cos_ptr, sin_ptr, position_ptr, heads, half,
         x_token, x_head, out_token, out_head, table_row, INTERLEAVED: tl.constexpr, BLOCK: tl.constexpr):
    """rope turns one head of one token. Pairs are neighbours if INTERLEAVED, else they are half apart.

    position_ptr may be None: then the position is the token's number.
    """
    dtype: tl.constexpr = wide(out_ptr.dtype.element_ty)
    program = tl.program_id(0).to(tl.int64)
    token = program // heads
    head = program % heads
    position = token
    if position_ptr is not None:
        position = tl.load(position_ptr + token)
    at = tl.arange(0, BLOCK)
    mask = at < half
    if INTERLEAVED:
        first, second = at * 2, at * 2 + 1
    else:
        first, second = at, at + half
    x_ptr += token * x_token + head * x_head
    out_ptr += token * out_token + head * out_head
    cos = tl.load(cos_ptr + position * table_row + at, mask=mask).to(dtype)
    sin = tl.load(sin_ptr + position * table_row + at, mask=mask).to(dtype)
    a = tl.load(x_ptr + first, mask=mask).to(dtype)
    b = tl.load(x_ptr + second, mask=mask).to(dtype)
    tl.store(out_ptr + first, a * cos - b * sin, mask=mask)
    tl.store(out_ptr + second, b * cos + a * sin, mask=mask)
