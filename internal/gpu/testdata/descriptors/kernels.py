"""Kernels with tensor descriptors, for the goldens beside this file: oracle.py stages . --specs specs.json"""
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
    c.store([m, n], acc.to(c.dtype))


@triton.jit
def attention(q, k, v, o, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    row, head = tl.program_id(0) * BM, tl.program_id(1) * N
    x = q.load([head + row, 0])
    top = tl.full((BM, ), float("-inf"), tl.float32)
    total = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in range(0, N, BN):
        s = tl.dot(x, k.load([head + n, 0]).T) * scale
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        old = tl.exp2(top - new)
        total = total * old + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v.load([head + n, 0]), acc * old[:, None])
        top = new
    o.store([head + row, 0], (acc / total[:, None]).to(tl.float16))


@triton.jit
def persistent(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STEP: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * across, STEP):
        m, n = tile // across * BM, tile % across * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        left, right = tl.split(tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1)))
        c.store([m, n], left.to(tl.float16))
        c.store([m, n + BN // 2], right.to(tl.float16))


@triton.jit
def flattened(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STEP: tl.constexpr):
    across = tl.cdiv(N, BN)
    count = tl.cdiv(K, BK)
    total = tl.program_id(0)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, STEP, flatten=True):
        m, n = tile // across * BM, tile % across * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(count):
            acc = tl.dot(a.load([m, k * BK]), b.load([n, k * BK]).T, acc)
        c.store([total // across * BM, total % across * BN], acc.to(tl.float16))
        total += STEP


@triton.jit
def specialized(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STEP: tl.constexpr):
    across = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * across, STEP, warp_specialize=True):
        m, n = tile // across * BM, tile % across * BN
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(a.load([m, k * BK]), b.load([n, k * BK]).T, acc)
        c.store([m, n], acc.to(tl.float16))


@triton.jit
def special_attention(q, k, v, o, N, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    x = q.load([tl.program_id(0) * BM, 0])
    total = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for n in tl.range(0, N, BN, warp_specialize=True):
        p = tl.exp2(tl.dot(x, k.load([n, 0]).T) * scale)
        total += tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v.load([n, 0]), acc)
    o.store([tl.program_id(0) * BM, 0], (acc / total[:, None]).to(tl.float16))


@triton.jit
def pointers_specialized(a_ptr, b_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr):
    rows, columns, depth = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :], tl.arange(0, 64)
    for tile in tl.range(4, warp_specialize=True):
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, 64)):
            a = tl.load(a_ptr + (tile * BM + rows) * K + k * 64 + depth[None, :])
            b = tl.load(b_ptr + (k * 64 + depth[:, None]) * BN + columns)
            acc = tl.dot(a, b, acc)
        tl.store(c_ptr + (tile * BM + rows) * BN + columns, acc.to(tl.float16))


@triton.jit
def made_here(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(tl.float16))


@triton.jit
def blocks(x, y, z, i):
    b = x.load([i, 0, 16])
    y.store([0, 16, i], b * 2)
    z.atomic_add([i], tl.sum(tl.sum(b, 2), 0))


@triton.jit
def again(x_ptr, y_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    y = tl.make_tensor_descriptor(y_ptr, [N, N], [N, 1], [N, N])
    tl.store(y_ptr + at, tl.load(x_ptr + at) + 1)
    y.store([0, 0], y.load([0, 0]) * 2)
    b = tl.load(y_ptr + (at + N) % (N * N))
    tl.store(y_ptr + at, b)
    c = y.load([0, 0]) + b
    y.store([0, 0], c)
    y.store([N // 2, 0], c)
    y.atomic_add([0, 0], c)
    tl.store(x_ptr + at, y.load([0, 0]) + y.load([0, N // 2]))


@triton.jit
def mixed(a, b_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        b = tl.load(b_ptr + (k + tl.arange(0, BK))[:, None] * BN + tl.arange(0, BN)[None, :])
        acc = tl.dot(a.load([0, k]), b, acc)
    tl.store(c_ptr + tl.arange(0, BM)[:, None] * BN + tl.arange(0, BN)[None, :], acc)


@triton.jit
def total(x, y, K, BM: tl.constexpr, BK: tl.constexpr):
    s = tl.zeros((BM, BK), tl.float32)
    for k in tl.range(0, K, BK, num_stages=3):
        v = x.load([0, k])
        y.store([0, k], v + s)
        s += v
    y.store([0, K], s)


@triton.jit
def grouped(a_ptr, b_ptr, c_ptr, G, N: tl.constexpr, BK: tl.constexpr):
    for g in range(G):
        a = tl.make_tensor_descriptor(a_ptr + g * N * N, [N, N], [N, 1], [N, BK])
        b = tl.make_tensor_descriptor(b_ptr + g * N * N, [N, N], [N, 1], [N, BK])
        c = tl.make_tensor_descriptor(c_ptr + (G - 1 - g) * N * N, [N, N], [N, 1], [N, N])
        acc = tl.zeros((N, N), tl.float32)
        for k in range(0, N, BK):
            acc += tl.dot(a.load([0, k]), b.load([0, k]).T)
        c.store([0, 0], acc.to(tl.float16))


@triton.jit
def columns(x, y, j, n, B: tl.constexpr):
    v = x.load([0, j])
    for k in range(j, j + n * B, B):
        v += x.load([1, k])
    at = j
    for i in range(n):
        v += x.load([i, at])
        if i % 2 == 0:
            at += B
        else:
            at = tl.maximum(at - 8, 0)
    y.store([0, tl.maximum(j, 0)], v)


@triton.jit
def looked_up(x, y, z, table, HINT: tl.constexpr):
    at = tl.load(table)
    if HINT:
        at = tl.multiple_of(at - at % 16, 16)
    v = x.load([0, tl.load(table + 1)])
    y.store([0, at], v)
    z.store([0, tl.load(table + 2) * 16], v)


@triton.jit
def mixed_columns(x, y, z_ptr, j, B: tl.constexpr):
    z = tl.make_tensor_descriptor(z_ptr, [8, 64], [64, 1], [4, B])
    v = x.load([0, B])
    y.store([tl.maximum(j, 0), 0], v)
    z.store([4, 16], v + 1)
    z.store([0, tl.maximum(j, 0)], v + x.load([j, 0]))


@triton.jit
def wide_bits(x, y, i, B: tl.constexpr):
    v = x.load([i, 0])
    y.atomic_xor([0, i], v)
    y.atomic_or([4, B], v)
    y.atomic_and([4, 0], v)


@triton.jit
def chained(q, k, v, o, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * BM
    x = q.load([row, 0])
    acc = tl.zeros((BM, D), tl.float32)
    for n in range(0, N, BN):
        s = tl.dot(x, k.load([n, 0]).T)
        acc = tl.dot((s * 0.125).to(v.dtype), v.load([0, n]).T, acc)
    o.store([row, 0], acc)


@triton.jit(noinline=True)
def described(x, M, N, B: tl.constexpr):
    return tl.make_tensor_descriptor(x, [M, N], [N, 1], [B, B])


@triton.jit(noinline=True)
def both_described(x, y, M, N, B: tl.constexpr):
    return described(x, M, N, B), described(y, M, N, B)


@triton.jit
def returned(x, y, z, M, N, B: tl.constexpr):
    """Functions that are not inlined return descriptors, which live longer than their calls."""
    a, b = both_described(x, y, M, N, B)
    c = described(z, M, N, B)
    m, n = tl.program_id(0) * B, tl.program_id(1) * B
    c.store([m, n], a.load([m, n]) - 2 * b.load([m, n]))
