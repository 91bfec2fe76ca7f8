"""Rotary embedding and the cache of keys and values, in one kernel."""
import triton
import triton.language as tl


@triton.jit
def rope_store_kernel(qkv, q, k_cache, v_cache, cos, sin, positions, slots, HEADS: tl.constexpr, KV_HEADS: tl.constexpr,
                      HALF: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK: tl.constexpr):
    """Rotates elements 2i and 2i + 1 of the heads of q and k by the angle of a token's position, and puts k and v
    into their slot of the cache. A program has one token; a negative slot stands for none."""
    row = tl.program_id(0).to(tl.int64)
    head = tl.arange(0, BLOCK_H)[:, None]
    i = tl.arange(0, BLOCK)[None, :]
    inside = i < HALF
    SIZE: tl.constexpr = 2 * HALF
    at = qkv + row * (HEADS + 2 * KV_HEADS) * SIZE + head * SIZE + 2 * i
    here = (head < HEADS + 2 * KV_HEADS) & inside
    a = tl.load(at, mask=here, other=0.0).to(tl.float32)
    b = tl.load(at + 1, mask=here, other=0.0).to(tl.float32)
    position = tl.load(positions + row)
    c = tl.load(cos + position * HALF + i, mask=inside, other=0.0)
    s = tl.load(sin + position * HALF + i, mask=inside, other=0.0)
    turned = head < HEADS + KV_HEADS
    x = tl.where(turned, a * c - b * s, a)
    y = tl.where(turned, a * s + b * c, b)

    is_q = (head < HEADS) & inside
    out = q + row * HEADS * SIZE + head * SIZE + 2 * i
    tl.store(out, x.to(q.dtype.element_ty), mask=is_q)
    tl.store(out + 1, y.to(q.dtype.element_ty), mask=is_q)

    slot = tl.load(slots + row).to(tl.int64)
    is_k = (head >= HEADS) & turned & inside & (slot >= 0)
    out = k_cache + slot * KV_HEADS * SIZE + (head - HEADS) * SIZE + 2 * i
    tl.store(out, x.to(k_cache.dtype.element_ty), mask=is_k)
    tl.store(out + 1, y.to(k_cache.dtype.element_ty), mask=is_k)

    is_v = here & (head >= HEADS + KV_HEADS) & (slot >= 0)
    out = v_cache + slot * KV_HEADS * SIZE + (head - HEADS - KV_HEADS) * SIZE + 2 * i
    tl.store(out, x.to(v_cache.dtype.element_ty), mask=is_v)
    tl.store(out + 1, y.to(v_cache.dtype.element_ty), mask=is_v)
