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
    v = tl.load(x + source[:, None] + col[None, :], mask=inside & valid[:, None], other=0.0)
    tl.store(out + (row * inner)[:, None] + col[None, :], v, mask=inside)


@triton.jit
def indexed(index, rows, count, size, inner, R: tl.constexpr, C: tl.constexpr):
    """A program's tile of the elements of index: their offsets and which of them exist, then the offsets that
    they stand for in the tensor whose rows they count, and which of those exist."""
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    col = tl.program_id(1) * C + tl.arange(0, C)
    inside = (row < rows)[:, None] & (col < inner)[None, :]
    here = (row * inner)[:, None] + col[None, :]
    at = tl.load(index + here, mask=inside, other=0).to(tl.int64)
    valid = inside & (at >= 0) & (at < size)
    there = ((row // count * size)[:, None] + at) * inner + col[None, :]
    return here, inside, there, valid


@triton.jit
def gather_kernel(x, index, out, rows, count, size, inner, R: tl.constexpr, C: tl.constexpr):
    """out[o, i, n] = x[o, index[o, i, n], n]; rows has all pairs of o and i. An index outside of x gives
    zeros."""
    here, inside, source, valid = indexed(index, rows, count, size, inner, R, C)
    v = tl.load(x + source, mask=valid, other=0.0)
    tl.store(out + here, v, mask=inside)


@triton.jit
def scatter_add_kernel(index, source, out, rows, count, size, inner, R: tl.constexpr, C: tl.constexpr):
    """out[o, index[o, i, n], n] += source[o, i, n]; rows has all pairs of o and i. An index outside adds
    nothing."""
    here, inside, target, valid = indexed(index, rows, count, size, inner, R, C)
    v = tl.load(source + here, mask=inside, other=0)
    tl.atomic_add(out + target, v.to(out.dtype.element_ty), mask=valid, sem="relaxed")


@triton.jit
def pad_kernel(x, out, value, rows, cols, out1, out2, size0, begin0, stride0, size1, begin1, stride1, size2,
               begin2, stride2, size3, begin3, stride3, R: tl.constexpr, C: tl.constexpr):
    """out has x from begin0, begin1, begin2, begin3 on, and a value around it. Its first three dimensions are
    rows."""
    row = tl.program_id(0) * R + tl.arange(0, R)
    col = tl.program_id(1) * C + tl.arange(0, C)
    at0 = (row // out2 // out1 - begin0)[:, None]
    at1 = (row // out2 % out1 - begin1)[:, None]
    at2 = (row % out2 - begin2)[:, None]
    at3 = (col - begin3)[None, :]
    inside = (at0 >= 0) & (at0 < size0) & (at1 >= 0) & (at1 < size1) & (at2 >= 0) & (at2 < size2)
    inside = inside & (at3 >= 0) & (at3 < size3)
    source = at0.to(tl.int64) * stride0 + at1.to(tl.int64) * stride1
    source = source + at2.to(tl.int64) * stride2 + at3 * stride3
    v = tl.load(x + source, mask=inside, other=0.0)
    v = tl.where(inside, v, value.to(out.dtype.element_ty))
    target = row.to(tl.int64)[:, None] * cols + col[None, :]
    tl.store(out + target, v, mask=(row < rows)[:, None] & (col < cols)[None, :])


@triton.jit
def unpadded(row, out1, out2, size0, begin0, stride0, size1, begin1, stride1, size2, begin2, stride2):
    """Where the elements of a row of a padded tensor are in the one without padding, and whether they are."""
    at0 = row // out2 // out1 - begin0
    at1 = row // out2 % out1 - begin1
    at2 = row % out2 - begin2
    inside = (at0 >= 0) & (at0 < size0) & (at1 >= 0) & (at1 < size1) & (at2 >= 0) & (at2 < size2)
    return at0.to(tl.int64) * stride0 + at1.to(tl.int64) * stride1 + at2.to(tl.int64) * stride2, inside


@triton.jit
def pad_flat_kernel(x, out, value, total, cols, out1, out2, size0, begin0, stride0, size1, begin1, stride1,
                    size2, begin2, stride2, size3, begin3, stride3, BLOCK: tl.constexpr):
    """pad_kernel for rows of at least BLOCK elements: a program fills BLOCK elements of out, of one row or of
    two, so that it divides no vectors."""
    first = tl.program_id(0).to(tl.int64) * BLOCK
    row = (first // cols).to(tl.int32)
    here, here_in = unpadded(row, out1, out2, size0, begin0, stride0, size1, begin1, stride1, size2, begin2,
                             stride2)
    there, there_in = unpadded(row + 1, out1, out2, size0, begin0, stride0, size1, begin1, stride1, size2,
                               begin2, stride2)
    i = tl.arange(0, BLOCK)
    col = (first - row.to(tl.int64) * cols).to(tl.int32) + i
    later = col >= cols
    at = tl.where(later, col - cols, col) - begin3
    inside = (at >= 0) & (at < size3) & tl.where(later, there_in, here_in)
    v = tl.load(x + tl.where(later, there, here) + at * stride3, mask=inside, other=0.0)
    v = tl.where(inside, v, value.to(out.dtype.element_ty))
    tl.store(out + first + i, v, mask=first + i < total)


@triton.jit
def copy_part(x, out, row, tile, rows, cols, stride_x, stride_out, C: tl.constexpr):
    """Copies a tile of the columns of some rows, if there is one of this number."""
    if (tile >= 0) & (tile * C < cols):
        col = tile * C + tl.arange(0, C)
        inside = (row < rows)[:, None] & (col < cols)[None, :]
        v = tl.load(x + (row * stride_x)[:, None] + col[None, :], mask=inside)
        tl.store(out + (row * stride_out)[:, None] + col[None, :], v, mask=inside)


@triton.jit
def concat_kernel(x0, x1, x2, x3, out, rows, stride_out, cols0, cols1, cols2, cols3, stride0, stride1,
                  stride2, stride3, begin, R: tl.constexpr, C: tl.constexpr):
    """Rows of out, from column begin on, are the rows of up to four tensors one behind the other.
    Neighbouring programs write neighbouring columns."""
    tiles0 = tl.cdiv(cols0, C)
    tiles1 = tl.cdiv(cols1, C)
    tiles2 = tl.cdiv(cols2, C)
    tiles = tiles0 + tiles1 + tiles2 + tl.cdiv(cols3, C)
    tile = tl.program_id(0) % tiles
    row = (tl.program_id(0) // tiles).to(tl.int64) * R + tl.arange(0, R)
    out += begin
    copy_part(x0, out, row, tile, rows, cols0, stride0, stride_out, C)
    tile -= tiles0
    out += cols0
    copy_part(x1, out, row, tile, rows, cols1, stride1, stride_out, C)
    if x2 is not None:
        tile -= tiles1
        out += cols1
        copy_part(x2, out, row, tile, rows, cols2, stride2, stride_out, C)
    if x3 is not None:
        tile -= tiles2
        out += cols2
        copy_part(x3, out, row, tile, rows, cols3, stride3, stride_out, C)


@triton.jit
def scatter_kernel(index, source, out, rows, count, size, inner, R: tl.constexpr, C: tl.constexpr):
    """out[o, index[o, i, n], n] = source[o, i, n]; rows has all pairs of o and i. An index outside stores
    nothing."""
    here, inside, target, valid = indexed(index, rows, count, size, inner, R, C)
    v = tl.load(source + here, mask=inside, other=0.0)
    tl.store(out + target, v.to(out.dtype.element_ty), mask=valid)
