"""Kernels of Gluon with explicit layouts. peer/gluon.py has each release of Triton compile them."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

LINE = gl.constexpr(gl.BlockedLayout([4], [32], [4], [0]))


# sig: *fp32, *fp32, i32, 512
@gluon.jit
def copied(x, out, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=LINE)
    gl.store(out + i, gl.load(x + i, mask=i < n), mask=i < n)


@gluon.jit
def scaled(x, factor):
    return x * factor


# sig: *fp32, *fp32, *fp32, i32, i32, 16, 32
@gluon.jit
def elementwise(x, y, out, rows, columns, R: gl.constexpr, C: gl.constexpr):
    """out = x * 2 * 3 + exp(y) * 3 + 1, where y lies by columns."""
    fast: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    slow: gl.constexpr = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])
    r = gl.program_id(0) * R + gl.arange(0, R, layout=gl.SliceLayout(1, fast))
    c = gl.arange(0, C, layout=gl.SliceLayout(0, fast))
    at = r[:, None] * columns + c[None, :]
    mask = (r < rows)[:, None] & (c < columns)[None, :]
    v = gl.load(x + at, mask=mask, other=0.0)
    down = gl.program_id(0) * R + gl.arange(0, R, layout=gl.SliceLayout(1, slow))
    across = gl.arange(0, C, layout=gl.SliceLayout(0, slow))
    both = (down < rows)[:, None] & (across < columns)[None, :]
    w = gl.load(y + down[:, None] + across[None, :] * rows, mask=both, other=0.0)
    w = gl.convert_layout(w, fast)
    total = gl.full([R, C], 1.0, gl.float32, layout=fast)
    for _ in range(3):
        total += scaled(v, 2.0) + gl.exp(w)
    gl.store(out + at, gl.where(total > 5.0, total, gl.maximum(total, -100.0)), mask=mask)
