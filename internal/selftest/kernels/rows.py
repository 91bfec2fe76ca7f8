"""Blocks of rows that are reduced, scanned, sorted and gathered. A block has all columns of R rows."""
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def affine(a, b, c, d):
    """The composition of x -> a x + b and x -> c x + d, which does not commute."""
    return a * c, b * c + d


@triton.jit
def block(x, N, C, s, R: tl.constexpr, B: tl.constexpr, OTHER: tl.constexpr):
    rows, columns = tl.program_id(0) * R + tl.arange(0, R)[:, None], tl.arange(0, B)[None, :]
    return tl.load(x + rows * s + columns, mask=(rows < N) & (columns < C), other=OTHER)


@triton.jit
def keep(y, v, N, C, s, R: tl.constexpr, B: tl.constexpr):
    rows, columns = tl.program_id(0) * R + tl.arange(0, R)[:, None], tl.arange(0, B)[None, :]
    tl.store(y + rows * s + columns, v.to(y.dtype.element_ty), mask=(rows < N) & (columns < C))


@triton.jit
def reduced(v, OP: tl.constexpr, AXIS: tl.constexpr):
    if OP == "sum":
        return tl.sum(v, AXIS)
    elif OP == "max":
        return tl.max(v, AXIS)
    elif OP == "min":
        return tl.min(v, AXIS)
    elif OP == "xor":
        return tl.xor_sum(v, AXIS)
    elif OP == "argmax":
        return tl.argmax(v, AXIS)
    elif OP == "argmin":
        return tl.argmin(v, AXIS)
    else:
        return tl.reduce(v, AXIS, larger)


@triton.jit
def reduce(x, y, N, C, s, R: tl.constexpr, B: tl.constexpr, OP: tl.constexpr, AXIS: tl.constexpr,
           OTHER: tl.constexpr, REVERSE: tl.constexpr):
    """y [N] of the columns, or y [programs, C] of each program's rows."""
    v = reduced(block(x, N, C, s, R, B, OTHER), OP, AXIS).to(y.dtype.element_ty)
    if AXIS == 1:
        rows = tl.program_id(0) * R + tl.arange(0, R)
        tl.store(y + rows, v, mask=rows < N)
    else:
        tl.store(y + tl.program_id(0) * C + tl.arange(0, B), v, mask=tl.arange(0, B) < C)


@triton.jit
def scan(x, y, N, C, s, R: tl.constexpr, B: tl.constexpr, OP: tl.constexpr, AXIS: tl.constexpr,
         OTHER: tl.constexpr, REVERSE: tl.constexpr):
    v = block(x, N, C, s, R, B, OTHER)
    if OP == "sum":
        v = tl.cumsum(v, AXIS, reverse=REVERSE)
    elif OP == "product":
        v = tl.cumprod(v, AXIS, reverse=REVERSE)
    elif OP == "max":
        v = tl.associative_scan(v, AXIS, larger, reverse=REVERSE)
    else:
        _, v = tl.associative_scan((v, v), AXIS, affine, reverse=REVERSE)
    keep(y, v, N, C, C, R, B)


@triton.jit
def sort(x, y, N, C, s, R: tl.constexpr, B: tl.constexpr, OP: tl.constexpr, AXIS: tl.constexpr,
         OTHER: tl.constexpr, REVERSE: tl.constexpr):
    keep(y, tl.sort(block(x, N, C, s, R, B, OTHER), descending=REVERSE), N, C, C, R, B)


@triton.jit
def gather(x, index, y, N, C, s, R: tl.constexpr, B: tl.constexpr, AXIS: tl.constexpr):
    """Elements of a program's own block; what lies outside of the tensor is 0 there."""
    v, i = block(x, N, C, s, R, B, 0), block(index, N, C, C, R, B, 0)
    keep(y, tl.gather(v, i, AXIS), N, C, C, R, B)


@triton.jit
def convert(x, y, N, C, s, R: tl.constexpr, B: tl.constexpr):
    keep(y, block(x, N, C, s, R, B, 0.0), N, C, C, R, B)


@triton.jit
def fill(y, N, C, value, R: tl.constexpr, B: tl.constexpr, OP: tl.constexpr):
    rows, columns = tl.program_id(0) * R + tl.arange(0, R)[:, None], tl.arange(0, B)[None, :]
    if OP == "value":
        v = tl.full((R, B), value, tl.int32)
    elif OP == "zero":
        v = tl.zeros((R, B), tl.int32)
    elif OP == "rows":
        v = tl.broadcast_to(rows & 7, (R, B))
    else:
        v = tl.where(rows > columns, value, (rows + columns) & 7)
    keep(y, v, N, C, C, R, B)


@triton.jit
def atomic(keys, x, y, n, B: tl.constexpr, OP: tl.constexpr, SEM: tl.constexpr):
    """Every element of x changes one of few elements of y."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    at, v = y + tl.load(keys + i, mask=i < n, other=0), tl.load(x + i, mask=i < n, other=0)
    if OP == "add":
        tl.atomic_add(at, v, mask=i < n, sem=SEM)
    elif OP == "max":
        tl.atomic_max(at, v, mask=i < n, sem=SEM)
    elif OP == "min":
        tl.atomic_min(at, v, mask=i < n, sem=SEM)
    elif OP == "and":
        tl.atomic_and(at, v, mask=i < n, sem=SEM)
    elif OP == "or":
        tl.atomic_or(at, v, mask=i < n, sem=SEM)
    else:
        tl.atomic_xor(at, v, mask=i < n, sem=SEM)


@triton.jit
def histogram(keys, y, n, B: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    count = tl.histogram(tl.load(keys + i, mask=i < n, other=0), BINS, mask=i < n)
    tl.atomic_add(y + tl.arange(0, BINS), count)
