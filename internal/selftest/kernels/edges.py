"""Blocks of descriptors at any coordinates: what lies outside reads as zero, or NaN, and is not written."""
import triton
import triton.language as tl


@triton.jit
def made(x, N, S, B: tl.constexpr, RANK: tl.constexpr, PAD: tl.constexpr):
    """A descriptor of shape N, strides S and blocks B."""
    if RANK == 1:
        return tl.make_tensor_descriptor(x, [N[0]], [1], [B[0]], padding_option=PAD)
    elif RANK == 2:
        return tl.make_tensor_descriptor(x, [N[0], N[1]], [S[0], 1], [B[0], B[1]], padding_option=PAD)
    elif RANK == 3:
        return tl.make_tensor_descriptor(x, [N[0], N[1], N[2]], [S[0], S[1], 1], [B[0], B[1], B[2]],
                                         padding_option=PAD)
    elif RANK == 4:
        return tl.make_tensor_descriptor(x, [N[0], N[1], N[2], N[3]], [S[0], S[1], S[2], 1],
                                         [B[0], B[1], B[2], B[3]], padding_option=PAD)
    else:
        return tl.make_tensor_descriptor(x, [N[0], N[1], N[2], N[3], N[4]], [S[0], S[1], S[2], S[3], 1],
                                         [B[0], B[1], B[2], B[3], B[4]], padding_option=PAD)


@triton.jit
def coordinate(table, p, d: tl.constexpr, RANK: tl.constexpr, HINT: tl.constexpr):
    """Coordinate d of program p. With HINT, the last one is known to be a multiple of 16."""
    i = tl.load(table + p * 5 + d)
    if HINT and d == RANK - 1:
        i = tl.multiple_of(i, 16)
    return i


@triton.jit
def values(i, B: tl.constexpr, COUNT: tl.constexpr, RANK: tl.constexpr):
    """Numbers of 1 to 8 for the elements of a block, which depend on their coordinates alone."""
    rest = tl.arange(0, COUNT)
    total = tl.zeros((COUNT, ), tl.int32)
    for d in tl.static_range(0, RANK):
        total = total * 3 + i[RANK - 1 - d] + rest % B[RANK - 1 - d]
        rest = rest // B[RANK - 1 - d]
    return (total & 7) + 1


@triton.jit
def shaped(v, B: tl.constexpr, RANK: tl.constexpr):
    if RANK == 1:
        return v
    elif RANK == 2:
        return tl.reshape(v, (B[0], B[1]))
    elif RANK == 3:
        return tl.reshape(v, (B[0], B[1], B[2]))
    elif RANK == 4:
        return tl.reshape(v, (B[0], B[1], B[2], B[3]))
    else:
        return tl.reshape(v, (B[0], B[1], B[2], B[3], B[4]))


@triton.jit
def load(x, i, RANK: tl.constexpr):
    if RANK == 1:
        return x.load([i[0]])
    elif RANK == 2:
        return x.load([i[0], i[1]])
    elif RANK == 3:
        return x.load([i[0], i[1], i[2]])
    elif RANK == 4:
        return x.load([i[0], i[1], i[2], i[3]])
    else:
        return x.load([i[0], i[1], i[2], i[3], i[4]])


@triton.jit
def apply(x, at, v, OP: tl.constexpr):
    if OP == "store":
        x.store(at, v)
    elif OP == "add":
        x.atomic_add(at, v)
    elif OP == "min":
        x.atomic_min(at, v)
    elif OP == "max":
        x.atomic_max(at, v)
    elif OP == "and":
        x.atomic_and(at, v)
    elif OP == "or":
        x.atomic_or(at, v)
    else:
        x.atomic_xor(at, v)


@triton.jit
def change(x, i, v, OP: tl.constexpr, RANK: tl.constexpr):
    if RANK == 1:
        apply(x, [i[0]], v, OP)
    elif RANK == 2:
        apply(x, [i[0], i[1]], v, OP)
    elif RANK == 3:
        apply(x, [i[0], i[1], i[2]], v, OP)
    elif RANK == 4:
        apply(x, [i[0], i[1], i[2], i[3]], v, OP)
    else:
        apply(x, [i[0], i[1], i[2], i[3], i[4]], v, OP)


@triton.jit
def plain(v, PAD: tl.constexpr):
    """v with one pattern of bits for all NaN: nothing says which one the copy engine fills in."""
    if PAD == "nan":
        return tl.where(v == v, v, float("nan")).to(v.dtype)
    else:
        return v


@triton.jit
def at(x, out, p, i, N, S, B: tl.constexpr, COUNT: tl.constexpr, RANK: tl.constexpr, OP: tl.constexpr,
       FORM: tl.constexpr, PAD: tl.constexpr):
    """A block of x at i is loaded to block p of out, or changed."""
    dtype: tl.constexpr = x.dtype.element_ty if FORM == "made" else x.dtype
    if FORM == "made":
        x = made(x, N, S, B, RANK, PAD)
    if OP == "load":
        v = tl.reshape(load(x, i, RANK), (COUNT, ))
        tl.store(out + p * COUNT + tl.arange(0, COUNT), plain(v, PAD))
    else:
        v = values(i, B, COUNT, RANK)
        change(x, i, shaped(v.to(tl.float32).to(dtype), B, RANK), OP, RANK)


@triton.jit
def by_table(x, out, table, N, S, B: tl.constexpr, COUNT: tl.constexpr, RANK: tl.constexpr, OP: tl.constexpr,
             FORM: tl.constexpr, PAD: tl.constexpr, HINT: tl.constexpr):
    """Each program has the coordinates of its row of the table."""
    p = tl.program_id(0)
    i = (coordinate(table, p, 0, RANK, HINT), coordinate(table, p, 1, RANK, HINT),
         coordinate(table, p, 2, RANK, HINT), coordinate(table, p, 3, RANK, HINT),
         coordinate(table, p, 4, RANK, HINT))
    at(x, out, p, i, N, S, B, COUNT, RANK, OP, FORM, PAD)


@triton.jit
def by_value(x, out, p, i, N, S, B: tl.constexpr, COUNT: tl.constexpr, RANK: tl.constexpr, OP: tl.constexpr,
             FORM: tl.constexpr, PAD: tl.constexpr):
    """One program, with coordinates that are arguments."""
    at(x, out, p, i, N, S, B, COUNT, RANK, OP, FORM, PAD)


@triton.jit
def rows(x, out, table, N, S, R: tl.constexpr, B: tl.constexpr, OP: tl.constexpr, FORM: tl.constexpr,
         PAD: tl.constexpr, HINT: tl.constexpr):
    """Each program gathers or scatters R single rows from a column; its row of the table has all of them."""
    p = tl.program_id(0)
    dtype: tl.constexpr = x.dtype.element_ty if FORM == "made" else x.dtype
    if FORM == "made":
        x = tl.make_tensor_descriptor(x, [N[0], N[1]], [S[0], 1], [1, B], padding_option=PAD)
    column = tl.load(table + p * (R + 1) + R)
    if HINT:
        column = tl.multiple_of(column, 16)
    which = tl.load(table + p * (R + 1) + tl.arange(0, R))
    where = tl.arange(0, R)[:, None] * B + tl.arange(0, B)[None, :]
    if OP == "gather":
        tl.store(out + p * R * B + where, plain(x.gather(which, column), PAD))
    else:
        v = (which[:, None] + 3 * (column + tl.arange(0, B))[None, :]) & 7
        x.scatter((v + 1).to(tl.float32).to(dtype), which, column)
