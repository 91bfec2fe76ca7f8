"""Kernels whose launches choose among several forms of code, for forms.c."""
import triton
import triton.language as tl


@triton.jit
def rows(x, y, s):
    r, c = tl.arange(0, 32), tl.arange(0, 32)
    sum = tl.zeros([32, 32], tl.float32)
    for i in range(3):
        sum += tl.load(x + (i * 32 + r)[:, None] * s + c[None, :])
    tl.store(y + (r[:, None] * 32 + c[None, :]), sum)


@triton.jit
def stored(x, y, s):
    r, c = tl.arange(0, 32), tl.arange(0, 32)
    for i in range(3):
        v = tl.load(x + (i * 32 + r)[:, None] * s + c[None, :])
        tl.store(y + ((i * 32 + r)[:, None] * 32 + c[None, :]), v + 1)


@triton.jit
def add(x, y, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def strided(x, y, s, n):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(y + i, tl.load(x + i * s, mask=i < n) + 1, mask=i < n)


@triton.jit
def divide(x, y, n, m, wide: tl.int64):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    at = (i % m) * 64 + i // m + (i // wide + i % wide).to(tl.int32) + tl.num_programs(0) % m
    tl.store(y + i, at.to(tl.float32), mask=i < n)
