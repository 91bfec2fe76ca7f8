import triton
import triton.language as tl


@triton.jit
def column(x_ptr, y_ptr, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i * STRIDE)
    tl.store(y_ptr + i, x * x + 1.0)


@triton.jit
def transpose(x_ptr, y_ptr, m, n, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    x = tl.load(x_ptr + r[:, None] * n + c[None, :])
    tl.store(y_ptr + c[:, None] * m + r[None, :], tl.trans(x))


@triton.jit
def gather(i_ptr, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(i_ptr + i, mask=i < n, other=0)
    tl.store(y_ptr + i, tl.load(x_ptr + at, mask=i < n), mask=i < n)


@triton.jit
def scan(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    tl.store(y_ptr + tl.program_id(0) * n + i, tl.cumsum(x, 0), mask=i < n)
