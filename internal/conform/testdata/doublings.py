# Kernels with chains of 64 doublings: number and mask are functions of this file, which the test chooses.
import triton
import triton.language as tl

@triton.jit
def add(x):
    for i in tl.static_range(64):
        x = x + x
    return x

@triton.jit
def mixed(x):
    for i in tl.static_range(64):
        x = (x + i) + x
    return x

@triton.jit
def least(x):
    for i in tl.static_range(64):
        x = tl.minimum(x + i, x * 2)
    return x

@triton.jit
def product(x):
    for i in tl.static_range(64):
        x = (x + i) * x
    return x

@triton.jit
def both(m, o, n):
    for i in tl.static_range(64):
        m = (m & (o < n + i)) & m
    return m

@triton.jit
def either(m, o, n):
    for i in tl.static_range(64):
        m = (m & (o < n + i)) | m
    return m

@triton.jit
def moved(x):
    for i in tl.static_range(64):
        x = x + tl.trans(tl.trans(x) + i)
    return x

@triton.jit
def spread(x, B: tl.constexpr):
    for i in tl.static_range(64):
        x = x + tl.reshape(tl.broadcast_to(tl.expand_dims(x + i, 0), (1, B)), (B,))
    return x

@triton.jit
def through_memory(x, p, n, o):
    for i in tl.static_range(64):
        x = x + tl.load(p + (x & 15), mask=o < n)
    return x

@triton.jit
def values(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    v = number(tl.load(x + o, mask=o < n))
    tl.store(y + o, v, mask=o < n)
    tl.store(y + n, tl.sum(v))
    tl.store(y + n + 1 + o, tl.cumsum(v), mask=o < n)

@triton.jit
def rows(x, y, n, B: tl.constexpr):
    o = tl.arange(0, 16)[:, None] * n + tl.arange(0, B)[None, :]
    v = number(tl.load(x + o))
    s = tl.sum(v, axis=1)
    tl.store(y + o, v / s[:, None])
    tl.store(y + tl.arange(0, B), tl.max(number(v), axis=0))

@triton.jit
def offsets(x, y, n, B: tl.constexpr):
    o = number(tl.program_id(0) * B + tl.arange(0, B))
    tl.store(y + o, tl.load(x + o, mask=o < n), mask=o < n)
    tl.store(y + o % n, tl.load(x + o // n % 7))

@triton.jit
def scalars(x, y, n, B: tl.constexpr):
    s = number(tl.program_id(0) + n)
    o = s + tl.arange(0, B)
    tl.store(y + o, tl.load(x + o % n, mask=o < s), mask=o < s)
    for i in range(s & 3, s % 17):
        tl.store(y + i, tl.load(x + i // s))
    if s > 3:
        tl.atomic_add(y + s, s)

@triton.jit
def masks(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    m = mask(o < n, o, n)
    v = tl.load(x + o, mask=m, other=0)
    tl.store(y + o, tl.where(m, v, 3), mask=m)
    tl.device_assert(tl.max(v) < 5)

@triton.jit
def spreads(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(y + o, spread(tl.load(x + spread(o, B), mask=o < n), B))

@triton.jit
def loads(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(y + o, through_memory(o, x, n, o))
    tl.store(y + o, tl.sum(through_memory(tl.load(x + o), x, n, o)))

@triton.jit
def transposes(x, y, n, B: tl.constexpr):
    o = tl.arange(0, 16)[:, None] * n + tl.arange(0, B)[None, :]
    tl.store(y + moved(o), moved(tl.load(x + o)))

@triton.jit
def mm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = number(tl.program_id(0))
    nn = tl.cdiv(N, BN)
    rm = (pid // nn) * BM + tl.arange(0, BM)
    rn = (pid % nn) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, number(K), BK):
        x = tl.load(pa, mask=mask(rk[None, :] < K - k, rk[None, :], K - k), other=0.0)
        y = tl.load(pb, mask=rk[:, None] < K - k, other=0.0)
        acc = tl.dot(number(x), y, acc)
        acc = tl.where(mask(rm[:, None] < k, rm[:, None], M), acc, 0.0)
        pa += BK
        pb += number(BK * N)
    acc = number(acc)
    m = mask(rm[:, None] < M, rm[:, None], M) & (rn[None, :] < N)
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16), mask=m)

@triton.jit
def desc(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [number(N), K], [K, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [M, N], [number(N), 1], [BM, BN])
    nn = tl.cdiv(N, BN)
    for t in range(tl.program_id(0), tl.cdiv(M, BM) * nn, tl.num_programs(0)):
        om, on = number(t // nn) * BM, number(t % nn) * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, number(K), BK):
            if number(k) > 5:
                acc += number(1.0 * k)
            acc = tl.dot(da.load([om, number(k)]), db.load([on, k]).T, acc)
        dc.store([om, on], acc.to(tl.float16))

@triton.jit
def causal(q, k, v, o, n, B: tl.constexpr, D: tl.constexpr):
    pid = tl.program_id(0)
    rm = pid * B + tl.arange(0, B)
    rd = tl.arange(0, D)
    x = tl.load(q + rm[:, None] * D + rd[None, :])
    m = tl.full((B,), -1e30, tl.float32)
    l = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for i in range(0, number(pid + 1) * B, B):
        rn = i + tl.arange(0, B)
        s = tl.dot(x, tl.trans(tl.load(k + rn[:, None] * D + rd[None, :])))
        s = tl.where(number(rm)[:, None] >= rn[None, :], s * 0.3, -1e30)
        mm = tl.maximum(m, tl.max(s, 1))
        p = tl.exp(s - mm[:, None])
        scale = tl.exp(m - mm)
        l = l * scale + tl.sum(p, 1)
        acc = acc * scale[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v + rn[:, None] * D + rd[None, :]), acc)
        m = mm
    tl.store(o + rm[:, None] * D + rd[None, :], number(acc / l[:, None]).to(tl.float16))
