"""Blocks of a matrix copied: one for each program, or several in a loop, as they are or transposed."""
import triton
import triton.language as tl


@triton.jit
def block(x, i, j, R, C, sr, sc, BR: tl.constexpr, BC: tl.constexpr, FORM: tl.constexpr):
    if FORM == "pointers":
        rows, columns = i + tl.arange(0, BR)[:, None], j + tl.arange(0, BC)[None, :]
        return tl.load(x + rows * sr + columns * sc, mask=(rows < R) & (columns < C), other=0.0)
    elif FORM == "blocks":
        p = tl.make_block_ptr(x, (R, C), (sr, sc), (i, j), (BR, BC), (1, 0))
        return tl.load(p, boundary_check=(0, 1), padding_option="zero")
    else:
        return x.load([i, j])


@triton.jit
def keep(y, v, i, j, R, C, sr, sc, BR: tl.constexpr, BC: tl.constexpr, FORM: tl.constexpr):
    if FORM == "pointers":
        rows, columns = i + tl.arange(0, BR)[:, None], j + tl.arange(0, BC)[None, :]
        tl.store(y + rows * sr + columns * sc, v.to(y.dtype.element_ty), mask=(rows < R) & (columns < C))
    elif FORM == "blocks":
        p = tl.make_block_ptr(y, (R, C), (sr, sc), (i, j), (BR, BC), (1, 0))
        tl.store(p, v.to(y.dtype.element_ty), boundary_check=(0, 1))
    else:
        y.store([i, j], v.to(y.dtype))


@triton.jit
def move(x, y, i, j, R, C, sx, sy, BR: tl.constexpr, BC: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr,
         T: tl.constexpr):
    v = block(x, i, j, R, C, sx, 1, BR, BC, FROM)
    if T:
        keep(y, v.T, j, i, C, R, sy, 1, BC, BR, TO)
    else:
        keep(y, v, i, j, R, C, sy, 1, BR, BC, TO)


@triton.jit
def copy(x, y, R, C, sx, sy, BR: tl.constexpr, BC: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr,
         T: tl.constexpr, LOOP: tl.constexpr, STAGES: tl.constexpr):
    """y [R, C] = x [R, C], or y [C, R] = its transpose with T."""
    if LOOP == "none":
        across = tl.cdiv(C, BC)
        t = tl.program_id(0)
        move(x, y, t // across * BR, t % across * BC, R, C, sx, sy, BR, BC, FROM, TO, T)
    elif LOOP == "columns":
        for j in tl.range(0, C, BC, num_stages=STAGES):
            move(x, y, tl.program_id(0) * BR, j, R, C, sx, sy, BR, BC, FROM, TO, T)
    else:
        for i in tl.range(0, R, BR, num_stages=STAGES):
            move(x, y, i, tl.program_id(0) * BC, R, C, sx, sy, BR, BC, FROM, TO, T)


@triton.jit
def made(x, y, R, C, sx, sy, BR: tl.constexpr, BC: tl.constexpr, FROM: tl.constexpr, TO: tl.constexpr,
         T: tl.constexpr, LOOP: tl.constexpr, STAGES: tl.constexpr):
    """copy, with descriptors that the kernel makes."""
    if FROM == "desc":
        x = tl.make_tensor_descriptor(x, [R, C], [sx, 1], [BR, BC])
    if TO == "desc":
        if T:
            y = tl.make_tensor_descriptor(y, [C, R], [sy, 1], [BC, BR])
        else:
            y = tl.make_tensor_descriptor(y, [R, C], [sy, 1], [BR, BC])
    copy(x, y, R, C, sx, sy, BR, BC, FROM, TO, T, LOOP, STAGES)
