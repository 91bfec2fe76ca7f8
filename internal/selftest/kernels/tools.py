"""Memory of the self-test: set before each run, compared after it. Words are 32 bits of any elements."""
import triton
import triton.language as tl


@triton.jit
def fill(words, value, n, B: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    tl.store(words + i, tl.full((B, ), 0, tl.int32) + value, mask=i < n)


@triton.jit
def restore(words, before, n, B: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    tl.store(words + i, tl.load(before + i, mask=i < n), mask=i < n)


@triton.jit
def compare(words, want, result, n, B: tl.constexpr):
    """Adds the number of words that differ to result[0] and lowers result[1] to the first of them."""
    i = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    differs = tl.load(words + i, mask=i < n, other=0.0) != tl.load(want + i, mask=i < n, other=0)
    count = tl.sum(differs.to(tl.int32), 0)
    if count > 0:
        tl.atomic_add(result, count)
        tl.atomic_min(result + 1, tl.min(tl.where(differs, i, 2147483647), 0).to(tl.int32))
