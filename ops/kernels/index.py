"""Rows of a tensor by index. Tensors are seen in three dimensions: outer, the indexed one, inner."""
import triton
import triton.language as tl


@triton.jit
def take_kernel(x, index, out, rows, count, size, inner, R: tl.constexpr, C: tl.constexpr):
    """out[o, i, :] = x[o, index[i], :]; rows has all pairs of o and i. An index outside of x gives zeros."""
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    col = tl.program_id(1) * C + tl.arange(0, C)
    inside = (row < rows)[:, None] & (col < inner)[None, :]
    at = tl.load(index + row % count, mask=row < rows, other=0).to(tl.int64)
    valid = (at >= 0) & (at < size)
    source = (row // count * size + at) * inner
    v = tl.load(x + source[:, None] + col[None, :], mask=inside & valid[:, None], other=0)
    tl.store(out + (row * inner)[:, None] + col[None, :], v, mask=inside)


@triton.jit
def gather_kernel(x, index, out, rows, count, size, inner, R: tl.constexpr, C: tl.constexpr):
    """out[o, i, n] = x[o, index[o, i, n], n]; rows has all pairs of o and i. An index outside of x gives zeros."""
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    col = tl.program_id(1) * C + tl.arange(0, C)
    inside = (row < rows)[:, None] & (col < inner)[None, :]
    here = (row * inner)[:, None] + col[None, :]
    at = tl.load(index + here, mask=inside, other=0).to(tl.int64)
    valid = inside & (at >= 0) & (at < size)
    source = ((row // count * size)[:, None] + at) * inner + col[None, :]
    v = tl.load(x + source, mask=valid, other=0)
    tl.store(out + here, v, mask=inside)


@triton.jit
def scatter_add_kernel(index, source, out, rows, count, size, inner, R: tl.constexpr, C: tl.constexpr):
    """out[o, index[o, i, n], n] += source[o, i, n]; rows has all pairs of o and i. An index outside adds nothing."""
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    col = tl.program_id(1) * C + tl.arange(0, C)
    inside = (row < rows)[:, None] & (col < inner)[None, :]
    here = (row * inner)[:, None] + col[None, :]
    at = tl.load(index + here, mask=inside, other=0).to(tl.int64)
    valid = inside & (at >= 0) & (at < size)
    v = tl.load(source + here, mask=inside, other=0)
    target = ((row // count * size)[:, None] + at) * inner + col[None, :]
    tl.atomic_add(out + target, v.to(out.dtype.element_ty), mask=valid, sem="relaxed")
