"""Kernels for the test of nereid.hpp: one for each rule about arguments."""

import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    if factor is not None:
        x = x * factor
    tl.store(out_ptr + at, x, mask=at < n)


@triton.jit(do_not_specialize=["n"])
def plain(x_ptr, n, value, WORD: tl.constexpr, DTYPE: tl.constexpr):
    if WORD == "set":
        tl.store(x_ptr + n, value.to(DTYPE))


@triton.jit
def pair(out_ptr, sizes, FLAGS: tl.constexpr):
    tl.store(out_ptr, sizes[0] * 100 + sizes[1])
    tl.store(out_ptr + 1, len(sizes) + FLAGS[0] + FLAGS[1])


@triton.jit
def maybe(out_ptr, x_ptr, flag):
    if x_ptr is None:
        tl.store(out_ptr, 1)
    else:
        null = x_ptr.to(tl.int64) == 0
        tl.store(out_ptr, tl.where(null, 2, 3) + tl.where(flag, 10, 0))


@triton.jit
def broken(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(x_ptr + tl.arange(0, BLOCK), x + tl.arange(0, 2 * BLOCK))


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=[])
@triton.jit
def tuned(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, at, mask=at < n)
