# Kernels that ask for the rules of the GPU compiler which no kernel of testdata/golden asks for.
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, sa, sb, sc, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    """A product of tiles by pointers: TMA, persistence."""
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.program_id(1) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, B):
        kk = k + tl.arange(0, B)
        x = tl.load(a + i[:, None] * sa + kk[None, :], mask=kk[None, :] < K, other=0.0)
        y = tl.load(b + kk[:, None] * sb + j[None, :], mask=kk[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * sc + j[None, :], acc.to(tl.float16))


@triton.jit
def computed(a, s, b, c, K, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    """A product whose left operand is converted in registers: steps along k."""
    i = tl.program_id(0) * M + tl.arange(0, M)
    j = tl.arange(0, N)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, B):
        kk = k + tl.arange(0, B)
        x = tl.load(a + i[:, None] * K + kk[None, :]).to(tl.float16)
        y = tl.load(b + kk[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@triton.jit
def backward(q, k, v, do, dk, L, D, n, M: tl.constexpr, N: tl.constexpr, H: tl.constexpr):
    """Products of which some do not depend on each other, as in attention's backward pass."""
    i = tl.arange(0, M)
    j = tl.program_id(0) * N + tl.arange(0, N)
    h = tl.arange(0, H)
    kt = tl.load(k + j[:, None] * H + h[None, :])
    vt = tl.load(v + j[:, None] * H + h[None, :])
    acc = tl.zeros((N, H), tl.float32)
    acc2 = tl.zeros((N, H), tl.float32)
    for s in range(0, n, M):
        ii = s + i
        qt = tl.load(q + ii[:, None] * H + h[None, :])
        m = tl.load(L + ii)
        p = tl.math.exp2(tl.dot(kt, tl.trans(qt)) - m[None, :])
        o = tl.load(do + ii[:, None] * H + h[None, :])
        acc2 += tl.dot(p.to(tl.float16), o)
        d = tl.load(D + ii)
        dp = tl.dot(vt, tl.trans(o))
        ds = p * (dp - d[None, :])
        acc += tl.dot(ds.to(tl.float16), qt)
    tl.store(dk + j[:, None] * H + h[None, :], (acc + acc2).to(tl.float16))


@triton.jit
def recurrence(a, b, c, T, B: tl.constexpr, N: tl.constexpr):
    """Products of single warps in a loop over chunks."""
    i = tl.arange(0, B)
    j = tl.arange(0, N)
    state = tl.zeros((B, N), tl.float32)
    for t in range(0, T):
        x = tl.load(a + t * B * B + i[:, None] * B + i[None, :])
        y = tl.load(b + t * B * N + i[:, None] * N + j[None, :])
        state = tl.dot(x, y + state.to(tl.float16), state)
    tl.store(c + i[:, None] * N + j[None, :], state)


@triton.jit
def few_steps(a, b, c, B: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A loop of products whose length is known."""
    i = tl.arange(0, B)
    j = tl.arange(0, N)
    p = tl.program_id(0)
    acc = tl.zeros((B, N), tl.float32)
    for t in range(0, K):
        x = tl.load(a + p * B * B * K + t * B + i[:, None] * B * K + i[None, :])
        y = tl.load(b + (p * K + t) * B * N + i[:, None] * N + j[None, :])
        acc = tl.dot(x, y, acc)
    z = tl.load(c + i[:, None] * N + j[None, :])
    tl.store(c + i[:, None] * N + j[None, :], acc + z)


@triton.jit
def rows(x, y, w, n, B: tl.constexpr):
    """A norm: loads behind a reduction, and a loop over rows that is prefetched."""
    i = tl.arange(0, B)
    g = tl.zeros((B,), tl.float32)
    for r in range(tl.program_id(0) * 8, tl.program_id(0) * 8 + n):
        v = tl.load(x + r * B + i)
        m = tl.sum(v, 0) / B
        d = v - m
        s = tl.sum(d * d, 0) / B
        g += d / tl.sqrt(s + 1e-5) * tl.load(w + i)
        tl.store(y + r * B + i, g)


@triton.jit
def norm(x, y, w, b, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    m = tl.sum(v, 0) / n
    d = tl.where(i < n, v - m, 0.0)
    s = tl.sum(d * d, 0) / n
    r = d / tl.sqrt(s + 1e-5) * tl.load(w + i, mask=i < n) + tl.load(b + i, mask=i < n)
    tl.store(y + tl.program_id(0) * n + i, r, mask=i < n)


@triton.jit
def argmax(x, y, n, R: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, R)
    j = tl.arange(0, B)
    v = tl.load(x + i[:, None] * n + j[None, :])
    tl.store(y + i, tl.argmax(v, 1))


@triton.jit
def columns(x, y, R: tl.constexpr, B: tl.constexpr):
    """A sum over rows, whose partial results many threads read."""
    i = tl.arange(0, R)
    j = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + j[None, :])
    s = tl.sum(v, 0)
    tl.store(y + i[:, None] * B + j[None, :], v - s[None, :])


@triton.jit
def total(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n, B):
        acc += tl.load(x + tl.program_id(0) * n + k + i)
    tl.store(y + tl.program_id(0), tl.sum(acc, 0))


@triton.jit
def cumulate(x, y, R: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, R)
    j = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + j[None, :])
    tl.store(y + i[:, None] * B + j[None, :], tl.cumsum(v, 1))


@triton.jit
def pick(x, d, y, R: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, R)
    j = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + j[None, :])
    k = tl.load(d + i[:, None] * B + j[None, :])
    tl.store(y + i[:, None] * B + j[None, :], tl.gather(v, k, 1))


@triton.jit
def transpose(x, y, R: tl.constexpr, B: tl.constexpr):
    """A conversion of layouts."""
    i = tl.arange(0, R)
    j = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + j[None, :])
    tl.store(y + j[:, None] * R + i[None, :], tl.trans(v))


@triton.jit
def label(x, y, n, B: tl.constexpr):
    """A comparison of a run of indices with a scalar."""
    i = tl.arange(0, B)
    k = tl.load(y)
    v = tl.load(x + i)
    tl.store(x + i, tl.where(i == k, v - 1.0, v))


@triton.jit
def decode(x, y, n, h, w, B: tl.constexpr):
    """Indices divided by numbers of the launch, and a branch."""
    p = tl.program_id(0)
    i = p * B + tl.arange(0, B)
    r = (n // h) * w + (n % 7) // 3
    v = tl.load(x + (i // w) % h * w + i % w + r, mask=i < n)
    s = 0
    if h > 3:
        s = w + h
    else:
        s = w - h
    tl.store(y + i, v + s, mask=i < n)


@triton.jit
def gelu(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.erf(v.to(tl.float32)).to(v.dtype), mask=i < n)


@triton.jit
def strided(x, y, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i * s, tl.load(x + i * s, mask=i < n), mask=i < n)


@triton.jit
def shift(x, y, s, n, B: tl.constexpr):
    """A loop whose iterations store over each other if a stride is small."""
    i = tl.arange(0, B)
    acc = tl.zeros((B,), tl.int32)
    for k in range(0, n):
        acc += tl.load(y + i)
        tl.store(x + k * s + i, acc)
    tl.store(y + i, acc)


@triton.jit
def pile(x, y, n, B: tl.constexpr):
    """A loop that reads a few times as much as the kernel writes."""
    i = tl.arange(0, B)
    p = tl.program_id(0)
    acc = tl.zeros((B,), tl.float32)
    for k in range(0, n):
        acc += tl.load(x + (p * n + k) * B + i)
    tl.store(y + p * B + i, acc)


@triton.jit
def small_attention(q, k, v, o, n, M: tl.constexpr, N: tl.constexpr, H: tl.constexpr):
    """Attention in tiles for single warps."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    h = tl.arange(0, H)
    x = tl.load(q + i[:, None] * H + h[None, :])
    acc = tl.zeros((M, H), tl.float32)
    peak = tl.full((M,), float("-inf"), tl.float32)
    for s in range(0, n, N):
        y = tl.load(k + (s + j)[None, :] * H + h[:, None])
        z = tl.load(v + (s + j)[:, None] * H + h[None, :])
        p = tl.dot(x, y)
        high = tl.maximum(peak, tl.max(p, 1))
        p = tl.math.exp2(p - high[:, None])
        acc = acc * tl.math.exp2(peak - high)[:, None]
        acc = tl.dot(p.to(tl.float16), z, acc)
        peak = high
    tl.store(o + i[:, None] * H + h[None, :], acc.to(tl.float16))


@triton.jit
def held(a, a2, b, c, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr, H: tl.constexpr, T: tl.constexpr):
    """Two operands that a short loop does not change, with registers for one."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, B)
    h = tl.arange(0, H)
    x = tl.load(a + i[:, None] * B + k[None, :])
    x2 = tl.load(a2 + i[:, None] * B + k[None, :])
    acc = tl.zeros((M, H), tl.float32)
    for t in range(0, T):
        y = tl.load(b + t * B * N + k[:, None] * N + j[None, :])
        z = tl.load(b + t * N * H + j[:, None] * H + h[None, :])
        p = tl.dot(x, y) * tl.dot(x2, y)
        acc = tl.dot(p.to(tl.float16), z, acc)
    tl.store(c + i[:, None] * H + h[None, :], acc)


@triton.jit
def wide(a, b, c, n, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    """A loop that asks for warp specialization, with accumulators for more than one warp group."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    j2 = tl.arange(0, N // 2)
    j4 = tl.arange(0, N // 4)
    k = tl.arange(0, B)
    acc = tl.zeros((M, N), tl.float32)
    acc2 = tl.zeros((M, N // 2), tl.float32)
    acc4 = tl.zeros((M, N // 4), tl.float32)
    for t in tl.range(0, n, warp_specialize=True):
        x = tl.load(a + t * M * B + i[:, None] * B + k[None, :])
        acc = tl.dot(x, tl.load(b + t * B * N + k[:, None] * N + j[None, :]), acc)
        acc2 = tl.dot(x, tl.load(b + t * B * N + k[:, None] * N + j2[None, :]), acc2)
        acc4 = tl.dot(x, tl.load(b + t * B * N + k[:, None] * N + j4[None, :]), acc4)
    tl.store(c + i[:, None] * N + j[None, :], acc)
    tl.store(c + i[:, None] * N + j2[None, :], acc2)
    tl.store(c + i[:, None] * N + j4[None, :], acc4)


@triton.jit
def narrow(a, b, c, n, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    """Products of an operand that the loop does not change by few columns at a time."""
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    k = tl.arange(0, B)
    x = tl.load(a + i[:, None] * B + k[None, :])
    acc = tl.zeros((M, B), tl.float32)
    for t in range(0, n):
        y = tl.load(b + t * B * N + k[:, None] * N + j[None, :])
        p = tl.dot(x, y)
        acc = tl.dot(p.to(tl.float16), tl.trans(y), acc)
    tl.store(c + i[:, None] * B + k[None, :], acc)


@triton.jit
def persistent(a, b, c, m, n, K, M: tl.constexpr, N: tl.constexpr, B: tl.constexpr):
    """Products in a loop over tiles."""
    cols = tl.cdiv(n, N)
    for tile in range(tl.program_id(0), tl.cdiv(m, M) * cols, tl.num_programs(0)):
        i = tile // cols * M + tl.arange(0, M)
        j = tile % cols * N + tl.arange(0, N)
        acc = tl.zeros((M, N), tl.float32)
        for k in range(0, tl.cdiv(K, B)):
            kk = k * B + tl.arange(0, B)
            x = tl.load(a + i[:, None] * K + kk[None, :], mask=kk[None, :] < K, other=0.0)
            y = tl.load(b + kk[:, None] * n + j[None, :], mask=kk[:, None] < K, other=0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + i[:, None] * n + j[None, :], acc.to(tl.float16))


@triton.jit
def floats(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A product in TF32 whose right operand comes by rows: a store to shared memory turns them into columns."""
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :]).to(tl.float32)
    y = tl.load(b + k[:, None] * N + j[None, :]).to(tl.float32) * 0.5
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(x, y))
