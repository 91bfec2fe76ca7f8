"""Kernels in the ways of public libraries, for the CPU against the interpreter: gathers, atomics, locks, scans, sorts, products in loops."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def index_select(x, idx, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rows = pm * BM + tl.arange(0, BM)
    cols = pn * BN + tl.arange(0, BN)
    ix = tl.load(idx + rows, mask=rows < M, other=0)
    m = (rows < M)[:, None] & (cols < N)[None, :]
    v = tl.load(x + ix[:, None] * N + cols[None, :], mask=m, other=-1.0)
    tl.store(out + rows[:, None] * N + cols[None, :], v, mask=m)


@triton.jit
def scatter_add(x, idx, out, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < n
    i = tl.load(idx + o, mask=m, other=0)
    v = tl.load(x + o, mask=m, other=0.0)
    tl.atomic_add(out + i, v, mask=m)


@triton.jit
def ln_bwd(dx, dy, w, x, mean, rstd, dw, db, N, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < N
    xv = tl.load(x + row * N + c, mask=m, other=0.).to(tl.float32)
    dyv = tl.load(dy + row * N + c, mask=m, other=0.).to(tl.float32)
    wv = tl.load(w + c, mask=m).to(tl.float32)
    mu = tl.load(mean + row)
    rs = tl.load(rstd + row)
    xh = (xv - mu) * rs
    wdy = wv * dyv
    xh = tl.where(m, xh, 0.)
    wdy = tl.where(m, wdy, 0.)
    c1 = tl.sum(xh * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    d = (wdy - (xh * c1 + c2)) * rs
    tl.store(dx + row * N + c, d, mask=m)
    tl.atomic_add(dw + c, dyv * xh, mask=m)
    tl.atomic_add(db + c, dyv, mask=m)


@triton.jit
def transpose(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    v = tl.load(x + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))
    tl.store(y + rn[:, None] * M + rm[None, :], tl.trans(v), mask=(rn[:, None] < N) & (rm[None, :] < M))


@triton.jit
def inplace_shift(x, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.load(x + B - 1 - i)
    tl.store(x + i, v + w)
    tl.store(x + i + B, v)


@triton.jit
def comb(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def ssm(a, b, y, L: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, L)[:, None] * D + tl.arange(0, D)[None, :]
    av = tl.sigmoid(tl.load(a + i))
    bv = tl.load(b + i)
    _, h = tl.associative_scan((av, bv), 0, comb)
    tl.store(y + i, h)


@triton.jit
def group_norm(x, y, w, b, G, C, HW, B: tl.constexpr):
    pid = tl.program_id(0)
    g = pid % G
    n = C // G * HW
    acc = tl.zeros([B], tl.float32)
    acc2 = tl.zeros([B], tl.float32)
    for s in range(0, n, B):
        o = s + tl.arange(0, B)
        v = tl.load(x + pid * n + o, mask=o < n, other=0.).to(tl.float32)
        acc += v
        acc2 += v * v
    mu = tl.sum(acc) / n
    var = tl.sum(acc2) / n - mu * mu
    rs = tl.rsqrt(var + 1e-5)
    for s in range(0, n, B):
        o = s + tl.arange(0, B)
        c = g * (C // G) + o // HW
        m = o < n
        v = tl.load(x + pid * n + o, mask=m, other=0.)
        wv = tl.load(w + c, mask=m, other=1.)
        bv = tl.load(b + c, mask=m, other=0.)
        tl.store(y + pid * n + o, (v - mu) * rs * wv + bv, mask=m)


@triton.jit
def topk(x, val, ind, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    v = tl.load(x + row * N + i)
    for k in range(K):
        m, a = tl.max(v, axis=0, return_indices=True)
        tl.store(val + row * K + k, m)
        tl.store(ind + row * K + k, a)
        v = tl.where(i == a, float("-inf"), v)


@triton.jit
def collatz(x, y, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + o, mask=o < n, other=1)
    steps = tl.zeros([B], tl.int32)
    k = 0
    while k < 20:
        steps += (v > 1).to(tl.int32)
        v = tl.where(v <= 1, v, tl.where(v % 2 == 0, v // 2, 3 * v + 1))
        k += 1
    tl.store(y + o, steps + v, mask=o < n)


@triton.jit
def attn_bwd_like(q, k, v, o, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    qp = tl.make_block_ptr(q, (N, D), (D, 1), (pm * BM, 0), (BM, D), (1, 0))
    kp = tl.make_block_ptr(k, (D, N), (1, D), (0, 0), (D, BN), (0, 1))
    vp = tl.make_block_ptr(v, (N, D), (D, 1), (0, 0), (BN, D), (1, 0))
    qv = tl.load(qp, boundary_check=(0,), padding_option="zero")
    mi = tl.full([BM], float("-inf"), tl.float32)
    li = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for s in range(0, N, BN):
        kv = tl.load(kp, boundary_check=(1,), padding_option="zero")
        vv = tl.load(vp, boundary_check=(0,), padding_option="zero")
        qk = tl.dot(qv, kv) * scale
        qk = tl.where((s + tl.arange(0, BN))[None, :] < N, qk, float("-inf"))
        mn = tl.maximum(mi, tl.max(qk, 1))
        p = tl.exp(qk - mn[:, None])
        al = tl.exp(mi - mn)
        li = li * al + tl.sum(p, 1)
        acc = acc * al[:, None] + tl.dot(p.to(vv.dtype), vv)
        mi = mn
        kp = tl.advance(kp, (0, BN))
        vp = tl.advance(vp, (BN, 0))
    acc = acc / li[:, None]
    op = tl.make_block_ptr(o, (N, D), (D, 1), (pm * BM, 0), (BM, D), (1, 0))
    tl.store(op, acc.to(o.dtype.element_ty), boundary_check=(0,))


@triton.jit
def conv1d(x, w, y, N, K: tl.constexpr, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros([B], tl.float32)
    for k in tl.static_range(K):
        acc += tl.load(x + o + k - K // 2, mask=(o + k >= K // 2) & (o + k - K // 2 < N), other=0.) * tl.load(w + k)
    tl.store(y + o, tl.where(acc > 0, acc, acc * 0.1), mask=o < N)


@triton.jit
def interleave(x, y, z, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    b = tl.load(y + i)
    c = tl.interleave(a, b)
    d = tl.reshape(c, (B, 2))
    e, f = tl.split(d)
    tl.store(z + tl.arange(0, 2 * B), c)
    tl.store(z + 2 * B + i, e + f)
    tl.store(z + 3 * B + tl.arange(0, 2 * B), tl.flip(tl.cat(a, b, can_reorder=True)))


@triton.jit
def locked(x, out, lock, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + o, mask=o < n, other=0.))
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    c = tl.load(out)
    tl.store(out, c + s)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def three(x, y, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    v = tl.load(x + i * B * C + j * C + k)
    s = tl.sum(v, axis=1)
    m = tl.max(v, axis=0)
    p = tl.permute(v, (2, 0, 1))
    tl.store(y + tl.arange(0, A)[:, None] * C + tl.arange(0, C)[None, :], s)
    tl.store(y + A * C + tl.arange(0, B)[:, None] * C + tl.arange(0, C)[None, :], m)
    kk = tl.arange(0, C)[:, None, None]
    ii = tl.arange(0, A)[None, :, None]
    jj = tl.arange(0, B)[None, None, :]
    tl.store(y + 4096 + kk * A * B + ii * B + jj, p * 2)


@triton.jit
def bmm(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, Z: tl.constexpr):
    z = tl.arange(0, Z)[:, None, None]
    av = tl.load(a + z * M * K + tl.arange(0, M)[None, :, None] * K + tl.arange(0, K)[None, None, :])
    bv = tl.load(b + z * N * K + tl.arange(0, K)[None, :, None] * N + tl.arange(0, N)[None, None, :])
    cv = tl.dot(av, bv)
    tl.store(c + z * M * N + tl.arange(0, M)[None, :, None] * N + tl.arange(0, N)[None, None, :], cv)


@triton.jit
def quant(x, y, s, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + o, mask=o < n, other=0.)
    a = tl.max(tl.abs(v)) / 127.0
    q = libdevice.rint(v / a)
    tl.store(y + o, tl.clamp(q, -128.0, 127.0).to(tl.int8), mask=o < n)
    tl.store(s + tl.program_id(0), a)


@triton.jit
def fp8mm(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    av = tl.load(a + m[:, None] * K + k[None, :]).to(tl.float8e4nv)
    bv = tl.load(b + k[:, None] * N + n[None, :])
    v = tl.dot(av, bv.to(tl.float8e4nv), acc=tl.dot(av, bv.to(tl.float8e5)))
    tl.store(c + m[:, None] * N + n[None, :], v)


@triton.jit
def i8mm(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    acc = tl.zeros((M, N), tl.int32)
    for k0 in range(0, K, 32):
        k = k0 + tl.arange(0, 32)
        av = tl.load(a + m[:, None] * K + k[None, :])
        bv = tl.load(b + k[:, None] * N + n[None, :])
        acc = tl.dot(av, bv, acc, out_dtype=tl.int32)
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def histo(x, y, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + o, mask=o < n, other=0)
    h = tl.histogram(v - 500, 64) + tl.histogram(v, 64, mask=v > 700)  # the last bits count
    tl.atomic_add(y + tl.arange(0, 64), h)


@triton.jit
def argm(x, y, z, R: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, R)
    j = tl.arange(0, C)
    v = tl.load(x + i[:, None] * C + j[None, :])
    tl.store(y + i, tl.argmax(v, 1))
    tl.store(y + R + j, tl.argmin(v, 0))
    w = tl.cumsum(v, 0) + tl.cumprod(v * 0.5, 1, reverse=True)
    tl.store(z + i[:, None] * C + j[None, :], tl.sort(w, descending=True))


@triton.jit
def rnd(y, seed, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    r = tl.randn(seed, o)
    u = tl.rand(seed, o)
    k = tl.randint(seed, o)
    tl.store(y + o, r + u + (k % 7).to(tl.float32), mask=o < n)


@triton.jit
def carry(x, y, n, T, B: tl.constexpr):
    o = tl.arange(0, B)
    a = tl.zeros([B], tl.float32)
    b = tl.zeros([B], tl.float32) + 1.0
    for t in range(T):
        v = tl.load(x + t * B + o)
        a, b = b * 0.5 + v, a + tl.sum(b) * 0.01
        if t % 2 == 0:
            a = a * 2.0
        else:
            b = tl.flip(b)
    tl.store(y + o, a)
    tl.store(y + B + o, b)


@triton.jit
def gath(x, i, y, N: tl.constexpr, K: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    ix = tl.load(i + tl.arange(0, K)) % N
    g = tl.gather(v * 2.0, ix, 0)
    tl.store(y + tl.arange(0, K), g)


@triton.jit
def chunk_h(k, v, h, o, q, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr):
    b_h = tl.zeros([K, V], dtype=tl.float32)
    for i in range(0, tl.cdiv(T, BT)):
        p_h = tl.make_block_ptr(h + i * K * V, (K, V), (V, 1), (0, 0), (K, V), (1, 0))
        tl.store(p_h, b_h.to(p_h.dtype.element_ty), boundary_check=(0, 1))
        p_k = tl.make_block_ptr(k, (K, T), (1, K), (0, i * BT), (K, BT), (0, 1))
        p_q = tl.make_block_ptr(q, (T, K), (K, 1), (i * BT, 0), (BT, K), (1, 0))
        p_v = tl.make_block_ptr(v, (T, V), (V, 1), (i * BT, 0), (BT, V), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        s = tl.dot(b_q, b_k)
        m = tl.arange(0, BT)[:, None] >= tl.arange(0, BT)[None, :]
        s = tl.where(m, s, 0)
        b_o = tl.dot(b_q, b_h.to(b_q.dtype)) + tl.dot(s.to(b_v.dtype), b_v)
        p_o = tl.make_block_ptr(o, (T, V), (V, 1), (i * BT, 0), (BT, V), (1, 0))
        tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))
        b_h += tl.dot(b_k, b_v)


@triton.jit
def moe(a, b, c, ids, eids, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    offs = pm * BM + tl.arange(0, BM)
    tok = tl.load(ids + offs)
    tmask = tok < M
    e = tl.load(eids + pm).to(tl.int64)
    on = (pn * BN + tl.arange(0, BN)) % N
    ok = tl.arange(0, BK)
    ap = a + (tok[:, None] * K + ok[None, :])
    bp = b + e * N * K + (ok[:, None] + on[None, :] * K)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        av = tl.load(ap, mask=tmask[:, None] & (ok[None, :] < K - k * BK), other=0.0)
        bv = tl.load(bp, mask=ok[:, None] < K - k * BK, other=0.0)
        acc += tl.dot(av, bv)
        ap += BK
        bp += BK
    cn = pn * BN + tl.arange(0, BN)
    cp = c + tok[:, None] * N + cn[None, :]
    tl.store(cp, acc.to(c.dtype.element_ty), mask=tmask[:, None] & (cn[None, :] < N))


@triton.jit
def ce_online(x, lab, loss, dx, V, B: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * V
    dx += row * V
    y = tl.load(lab + row)
    if y == -100:
        for i in range(0, V, B):
            o = i + tl.arange(0, B)
            tl.store(dx + o, 0.0, mask=o < V)
        return
    m = float("-inf")
    d = 0.0
    xy = tl.load(x + y).to(tl.float32)
    for i in range(0, V, B):
        o = i + tl.arange(0, B)
        v = tl.load(x + o, mask=o < V, other=float("-inf")).to(tl.float32)
        bm = tl.max(v)
        mn = tl.maximum(m, bm)
        d = d * tl.exp(m - mn) + tl.sum(tl.exp(v - mn))
        m = mn
    for i in range(0, V, B):
        o = i + tl.arange(0, B)
        v = tl.load(x + o, mask=o < V, other=float("-inf")).to(tl.float32)
        g = tl.exp(v - m) / d
        g = tl.where(o == y, g - 1.0, g)
        tl.store(dx + o, g, mask=o < V)
    tl.store(loss + row, m + tl.log(d) - xy)


@triton.jit
def streamk_wait(x, flag, y, n, B: tl.constexpr):
    pid = tl.program_id(0)
    o = pid * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + o))
    if pid > 0:
        while tl.atomic_add(flag + pid - 1, 0) == 0:
            pass
        s += tl.load(y + pid - 1)
    tl.store(y + pid, s)
    tl.atomic_xchg(flag + pid, 1)


@triton.jit
def wgrad(x, dy, dw, M, K, N, BM: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr):
    ok = tl.program_id(0) * BK + tl.arange(0, BK)
    on = tl.program_id(1) * BN + tl.arange(0, BN)
    om = tl.arange(0, BM)
    acc = tl.zeros((BK, BN), tl.float32)
    xp = x + om[:, None] * K + ok[None, :]
    yp = dy + om[:, None] * N + on[None, :]
    for m in range(0, M, BM):
        a = tl.load(xp, mask=(om[:, None] + m < M) & (ok[None, :] < K), other=0.)
        b = tl.load(yp, mask=(om[:, None] + m < M) & (on[None, :] < N), other=0.)
        acc += tl.dot(tl.trans(a), b, allow_tf32=False)
        xp += BM * K
        yp += BM * N
    tl.store(dw + ok[:, None] * N + on[None, :], acc, mask=(ok[:, None] < K) & (on[None, :] < N))


@triton.jit
def nonzero(x, pre, out, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < n
    v = tl.load(x + o, mask=m, other=0.0)
    nz = (v > 0).to(tl.int32)
    c = tl.cumsum(nz, 0) - 1 + tl.program_id(0) * B
    tl.store(out + c, o, mask=m & (v > 0))


@triton.jit
def gather1(x, idx, y, n, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    m = o < n
    i = tl.load(idx + o, mask=m, other=0)
    v = tl.load(x + i, mask=m & (i % 3 != 1), other=7.0)
    tl.store(y + (n - 1 - o) , v, mask=m)
    tl.store(y + i + n, v * 2, mask=m & (i % 2 == 0))


@triton.jit
def tril(x, y, N: tl.constexpr):
    i = tl.arange(0, N)[:, None]
    j = tl.arange(0, N)[None, :]
    v = tl.load(x + i * N + j, mask=i >= j, other=0.)
    tl.store(y + i * N + j, v + 1, mask=i > j)


@triton.jit
def ptrs(x, y, p, n, B: tl.constexpr):
    o = tl.arange(0, B)
    a = tl.where(o % 2 == 0, x + o, y + o)
    tl.store(p + o, tl.load(a, mask=o < n, other=-1.0))


@triton.jit
def partial_sums(x, y, z, n, B: tl.constexpr):
    o = tl.arange(0, B)
    acc = tl.zeros((B, ), tl.float32)
    for k in range(n):
        acc += tl.load(x + k * B + o)
        tl.store(y + k * B + o, acc)
    tl.store(z, tl.sum(acc, 0))


@triton.jit
def partial_rows(x, y, z, n, R: tl.constexpr, B: tl.constexpr):
    """The loop asks for one sum before each round, after some for the next, after each for the third."""
    r = tl.arange(0, R)
    o = r[:, None] * B + tl.arange(0, B)[None, :]
    before = tl.zeros((R, B), tl.float32)
    some = tl.zeros((R, B), tl.float32)
    bits = tl.zeros((R, B), tl.int32)
    never = tl.zeros((R, B), tl.float32)
    for k in range(n):
        v = tl.load(x + k * R * B + o)
        tl.store(y + 3 * k * R * B + o, before)
        before += v
        some += v * 2
        if k % 2 == 1:
            tl.store(y + (3 * k + 1) * R * B + o, some)
        bits ^= (v * 100).to(tl.int32)
        tl.store(y + (3 * k + 2) * R * B + o, bits)
        never += v * v
    tl.store(z + r, tl.sum(before, 1))
    tl.store(z + R + r, tl.sum(some, 1))
    tl.store(z + 2 * R + r, tl.xor_sum(bits, 1))
    tl.store(z + 3 * R + r, tl.sum(never, 1))


@triton.jit
def last_sums(x, y, z, n, B: tl.constexpr):
    """A round asks for the sums of the one before, which the loop carries twice."""
    o = tl.arange(0, B)
    acc = tl.zeros((B, ), tl.float32)
    last = tl.full((B, ), 3.0, tl.float32)
    for k in range(n):
        tl.store(y + k * B + o, last)
        acc += tl.load(x + k * B + o)
        last = acc
    tl.store(z, tl.sum(acc, 0))


@triton.jit
def growing_sums(x, y, z, n, B: tl.constexpr):
    """One sum adds up another."""
    o = tl.arange(0, B)
    acc = tl.zeros((B, ), tl.float32)
    sums = tl.zeros((B, ), tl.float32)
    for k in range(n):
        acc += tl.load(x + k * B + o)
        sums += acc
    tl.store(y, tl.sum(acc, 0))
    tl.store(z, tl.sum(sums, 0))
