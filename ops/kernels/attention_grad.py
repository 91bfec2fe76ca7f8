"""The backward pass of attention: gradients of queries, keys and values from that of the result.

The weights p of the forward pass are computed again from the logarithms of their sums (lse); delta is the sum
of the result times its gradient along each row. The gradient of a score is p * (dp - delta), where dp is grad
@ v.T.
"""
import functions
import triton
import triton.language as tl


@triton.jit
def seen(p, positions, keys, window, CAUSAL: tl.constexpr, WINDOW: tl.constexpr):
    """The weights p, a row for each key and a column for each query, without those of keys that a query does
    not see."""
    if CAUSAL:
        p = tl.where(positions[None, :] >= keys[:, None], p, 0.0)
    if WINDOW:
        p = tl.where(positions[None, :] - window < keys[:, None], p, 0.0)
    return p


@triton.jit
def block_of_keys(kv_heads, BLOCK_N: tl.constexpr, HEADS_FIRST: tl.constexpr):
    """The first key of a program's block, its sequence and its head. The grid has the blocks along one axis
    and the heads of all sequences along the other, with HEADS_FIRST along the first. Programs start in the
    order of their numbers: with causal masks, under which the first keys have the most queries, the longest
    programs of all heads then start first, and none of them runs alone at the end."""
    if HEADS_FIRST:
        block, head = tl.program_id(1), tl.program_id(0)
    else:
        block, head = tl.program_id(0), tl.program_id(1)
    return block * BLOCK_N, (head // kv_heads).to(tl.int64), (head % kv_heads).to(tl.int64)


@triton.jit
def add_queries(dk, dv, k, v, q_at, grad_at, lse, delta, stride_qm, stride_gm, log2_scale, start, stop, shift,
                keys, rows, queries, window, dims_in, BLOCK_M: tl.constexpr, PADDED: tl.constexpr,
                CAUSAL: tl.constexpr, WINDOW: tl.constexpr, PRECISION: tl.constexpr):
    """Adds what the queries from start to stop give to the gradients of keys and values. Scores lie
    transposed: a row for each key. The position of a query is its number and shift."""
    for m in range(start, stop, BLOCK_M):
        m = tl.multiple_of(m, BLOCK_M)
        inside = m + rows < queries
        if PADDED:
            qt = tl.load(q_at + m * stride_qm, mask=inside[None, :] & dims_in[:, None], other=0.0)
            g = tl.load(grad_at + m * stride_gm, mask=inside[:, None] & dims_in[None, :], other=0.0)
        else:
            qt = tl.load(q_at + m * stride_qm, mask=inside[None, :], other=0.0)
            g = tl.load(grad_at + m * stride_gm, mask=inside[:, None], other=0.0)
        sums = tl.load(lse + m + rows, mask=inside, other=0.0)
        d = tl.load(delta + m + rows, mask=inside, other=0.0)
        score = tl.dot(k, qt, input_precision=PRECISION)
        p = tl.math.exp2(score * log2_scale - sums[None, :] * 1.44269504)
        p = seen(p, m + rows + shift, keys, window, CAUSAL, WINDOW)
        dv = tl.dot(p.to(g.dtype), g, dv, input_precision=PRECISION)
        dp = tl.dot(v, tl.trans(g), input_precision=PRECISION)
        ds = p * (dp - d[None, :])
        dk = tl.dot(ds.to(qt.dtype), tl.trans(qt), dk, input_precision=PRECISION)
    return dk, dv


@triton.jit
def attention_dkv_kernel(q, k, v, grad, lse, delta, dk, dv, scale, heads, group, queries, length, window,
                         stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn, stride_vb,
                         stride_vh, stride_vn, stride_gb, stride_gh, stride_gm, stride_dkb, stride_dkh,
                         stride_dkn, stride_dvb, stride_dvh, stride_dvn, HEAD_DIM: tl.constexpr,
                         DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                         CAUSAL: tl.constexpr, WINDOW: tl.constexpr, HEADS_FIRST: tl.constexpr,
                         PRECISION: tl.constexpr):
    """The gradients of a block of keys and values: a sum over all queries that see them, of all heads of a
    group."""
    first, batch, kv_head = block_of_keys(heads // group, BLOCK_N, HEADS_FIRST)
    keys = first + tl.arange(0, BLOCK_N)
    rows = tl.arange(0, BLOCK_M)
    dims = tl.arange(0, DIM)
    dims_in = dims < HEAD_DIM
    PADDED: tl.constexpr = DIM != HEAD_DIM
    inside = (keys < length)[:, None] & dims_in[None, :]
    kx = tl.load(k + batch * stride_kb + kv_head * stride_kh + keys[:, None] * stride_kn + dims[None, :],
                 mask=inside, other=0.0)
    vx = tl.load(v + batch * stride_vb + kv_head * stride_vh + keys[:, None] * stride_vn + dims[None, :],
                 mask=inside, other=0.0)
    dkx = tl.zeros([BLOCK_N, DIM], tl.float32)
    dvx = tl.zeros([BLOCK_N, DIM], tl.float32)
    log2_scale = scale * 1.44269504
    shift = length - queries
    begin = 0
    end = queries
    if CAUSAL:
        begin = tl.maximum(first - shift, 0) // BLOCK_M * BLOCK_M
    if WINDOW:
        end = tl.minimum(first + BLOCK_N - 1 + window - shift, queries)
    for h in range(group):
        head = kv_head * group + h
        q_at = q + batch * stride_qb + head * stride_qh + rows[None, :] * stride_qm + dims[:, None]
        grad_at = grad + batch * stride_gb + head * stride_gh + rows[:, None] * stride_gm + dims[None, :]
        row = (batch * heads + head) * queries
        whole = begin
        if CAUSAL:
            # Blocks of queries at the diagonal need a mask; those behind it see all keys.
            whole = tl.cdiv(tl.maximum(first + BLOCK_N - 1 - shift, 0), BLOCK_M) * BLOCK_M
            dkx, dvx = add_queries(dkx, dvx, kx, vx, q_at, grad_at, lse + row, delta + row, stride_qm,
                                   stride_gm, log2_scale, begin, tl.minimum(whole, end), shift, keys, rows,
                                   queries, window, dims_in, BLOCK_M, PADDED, CAUSAL, WINDOW, PRECISION)
        dkx, dvx = add_queries(dkx, dvx, kx, vx, q_at, grad_at, lse + row, delta + row, stride_qm, stride_gm,
                               log2_scale, whole, end, shift, keys, rows, queries, window, dims_in, BLOCK_M,
                               PADDED, False, WINDOW, PRECISION)
    tl.store(dk + batch * stride_dkb + kv_head * stride_dkh + keys[:, None] * stride_dkn + dims[None, :],
             (dkx * scale).to(dk.dtype.element_ty), mask=inside)
    tl.store(dv + batch * stride_dvb + kv_head * stride_dvh + keys[:, None] * stride_dvn + dims[None, :],
             dvx.to(dv.dtype.element_ty), mask=inside)


@triton.jit
def add_queries_at_once(dk, dv, k, v, q_in, grad_in, dq_out, lse, delta, log2_scale, start, stop, shift, keys,
                        rows, queries, window, BLOCK_M: tl.constexpr, CAUSAL: tl.constexpr,
                        WINDOW: tl.constexpr):
    """As add_queries; and adds what the keys give to the gradients of the queries, before they are scaled."""
    for i in range(0, stop - start, BLOCK_M):
        m = tl.multiple_of(start + i, BLOCK_M)
        inside = m + rows < queries
        q = q_in.load([m, 0])
        g = grad_in.load([m, 0])
        sums = tl.load(lse + m + rows, mask=inside, other=0.0) * 1.44269504
        score = tl.dot(k, tl.trans(q))
        p = tl.math.exp2(score * log2_scale - sums[None, :])
        p = seen(p, m + rows + shift, keys, window, CAUSAL, WINDOW)
        dv = tl.dot(p.to(g.dtype), g, dv)
        dp = tl.dot(v, tl.trans(g))
        d = tl.load(delta + m + rows, mask=inside, other=0.0)
        ds = (p * (dp - d[None, :])).to(q.dtype)
        dk = tl.dot(ds, q, dk)
        dq_out.atomic_add([m, 0], tl.dot(tl.trans(ds), k))
    return dk, dv


@triton.jit
def attention_at_once_kernel(q, k, v, grad, lse, delta, dk, dv, dq, scale, heads, group, queries, length,
                             window, stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn,
                             stride_vb, stride_vh, stride_vn, stride_gb, stride_gh, stride_gm, stride_dkb,
                             stride_dkh, stride_dkn, stride_dvb, stride_dvh, stride_dvn, DIM: tl.constexpr,
                             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
                             WINDOW: tl.constexpr, HEADS_FIRST: tl.constexpr):
    """attention_dkv_kernel, which adds to the gradients of queries as well: dq, of fp32 in the shape [batch *
    heads, queries, DIM], begins with zeros. These are two products fewer than with attention_dq_kernel, but
    programs add in any order. The copy engine loads queries and gradients, and adds to dq: their addresses
    take no registers, of which the sums leave few."""
    first, batch, kv_head = block_of_keys(heads // group, BLOCK_N, HEADS_FIRST)
    keys = first + tl.arange(0, BLOCK_N)
    rows = tl.arange(0, BLOCK_M)
    dims = tl.arange(0, DIM)
    inside = (keys < length)[:, None]
    kx = tl.load(k + batch * stride_kb + kv_head * stride_kh + keys[:, None] * stride_kn + dims[None, :],
                 mask=inside, other=0.0)
    vx = tl.load(v + batch * stride_vb + kv_head * stride_vh + keys[:, None] * stride_vn + dims[None, :],
                 mask=inside, other=0.0)
    dkx = tl.zeros([BLOCK_N, DIM], tl.float32)
    dvx = tl.zeros([BLOCK_N, DIM], tl.float32)
    log2_scale = scale * 1.44269504
    shift = length - queries
    begin = 0
    end = queries
    if CAUSAL:
        begin = tl.maximum(first - shift, 0) // BLOCK_M * BLOCK_M
    if WINDOW:
        end = tl.minimum(first + BLOCK_N - 1 + window - shift, queries)
    for h in range(group):
        head = kv_head * group + h
        row = (batch * heads + head) * queries
        q_in = tl.make_tensor_descriptor(q + batch * stride_qb + head * stride_qh, [queries, DIM],
                                         [stride_qm, 1], [BLOCK_M, DIM])
        grad_in = tl.make_tensor_descriptor(grad + batch * stride_gb + head * stride_gh, [queries, DIM],
                                            [stride_gm, 1], [BLOCK_M, DIM])
        dq_out = tl.make_tensor_descriptor(dq + row * DIM, [queries, DIM], [DIM, 1], [BLOCK_M, DIM])
        # One loop with masks, where attention_dkv_kernel has two: the second one's values would take registers.
        dkx, dvx = add_queries_at_once(dkx, dvx, kx, vx, q_in, grad_in, dq_out, lse + row, delta + row,
                                       log2_scale, begin, end, shift, keys, rows, queries, window, BLOCK_M,
                                       CAUSAL, WINDOW)
    tl.store(dk + batch * stride_dkb + kv_head * stride_dkh + keys[:, None] * stride_dkn + dims[None, :],
             (dkx * scale).to(dk.dtype.element_ty), mask=inside)
    tl.store(dv + batch * stride_dvb + kv_head * stride_dvh + keys[:, None] * stride_dvn + dims[None, :],
             dvx.to(dv.dtype.element_ty), mask=inside)


@triton.jit
def add_keys(dq, q, g, sums, d, k_at, v_at, stride_kn, stride_vn, log2_scale, start, stop, positions, keys,
             length, window, dims_in, BLOCK_N: tl.constexpr, PADDED: tl.constexpr, CAUSAL: tl.constexpr,
             WINDOW: tl.constexpr, PRECISION: tl.constexpr):
    """Adds what the keys from start to stop give to the gradients of queries."""
    for n in range(start, stop, BLOCK_N):
        n = tl.multiple_of(n, BLOCK_N)
        inside = n + keys < length
        if PADDED:
            kt = tl.load(k_at + n * stride_kn, mask=inside[None, :] & dims_in[:, None], other=0.0)
            vt = tl.load(v_at + n * stride_vn, mask=inside[None, :] & dims_in[:, None], other=0.0)
        else:
            kt = tl.load(k_at + n * stride_kn, mask=inside[None, :], other=0.0)
            vt = tl.load(v_at + n * stride_vn, mask=inside[None, :], other=0.0)
        score = tl.dot(q, kt, input_precision=PRECISION)
        p = tl.math.exp2(score * log2_scale - sums[:, None])
        if CAUSAL:
            p = tl.where(positions[:, None] >= (n + keys)[None, :], p, 0.0)
        if WINDOW:
            p = tl.where(positions[:, None] - window < (n + keys)[None, :], p, 0.0)
        p = tl.where(inside[None, :], p, 0.0)
        dp = tl.dot(g, vt, input_precision=PRECISION)
        ds = p * (dp - d[:, None])
        dq = tl.dot(ds.to(kt.dtype), tl.trans(kt), dq, input_precision=PRECISION)
    return dq


@triton.jit
def attention_dq_kernel(q, k, v, grad, lse, delta, dq, scale, heads, group, queries, length, window,
                        stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn, stride_vb,
                        stride_vh, stride_vn, stride_gb, stride_gh, stride_gm, stride_dqb, stride_dqh,
                        stride_dqm, HEAD_DIM: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                        BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr,
                        PRECISION: tl.constexpr):
    """The gradients of a block of queries of one head: a sum over all keys that they see."""
    tile, batch, head, kv_head = functions.tile_of_queries(heads, group, CAUSAL)
    first = tile * BLOCK_M
    rows = first + tl.arange(0, BLOCK_M)
    keys = tl.arange(0, BLOCK_N)
    dims = tl.arange(0, DIM)
    dims_in = dims < HEAD_DIM
    PADDED: tl.constexpr = DIM != HEAD_DIM
    inside = (rows < queries)[:, None] & dims_in[None, :]
    qx = tl.load(q + batch * stride_qb + head * stride_qh + rows[:, None] * stride_qm + dims[None, :],
                 mask=inside, other=0.0)
    g = tl.load(grad + batch * stride_gb + head * stride_gh + rows[:, None] * stride_gm + dims[None, :],
                mask=inside, other=0.0)
    row = (batch * heads + head) * queries
    sums = tl.load(lse + row + rows, mask=rows < queries, other=0.0) * 1.44269504
    d = tl.load(delta + row + rows, mask=rows < queries, other=0.0)
    k_at = k + batch * stride_kb + kv_head * stride_kh + keys[None, :] * stride_kn + dims[:, None]
    v_at = v + batch * stride_vb + kv_head * stride_vh + keys[None, :] * stride_vn + dims[:, None]
    dqx = tl.zeros([BLOCK_M, DIM], tl.float32)
    log2_scale = scale * 1.44269504
    shift = length - queries
    begin = 0
    end = length
    if WINDOW:
        begin = tl.maximum(first + shift - window + 1, 0) // BLOCK_N * BLOCK_N
    if CAUSAL:
        # Blocks of keys before the diagonal need no mask.
        diagonal = tl.maximum((first + shift + 1) // BLOCK_N * BLOCK_N, begin)
        end = tl.minimum(first + BLOCK_M + shift, length)
        dqx = add_keys(dqx, qx, g, sums, d, k_at, v_at, stride_kn, stride_vn, log2_scale, begin,
                       tl.minimum(diagonal, end), rows + shift, keys, length, window, dims_in, BLOCK_N,
                       PADDED, False, WINDOW, PRECISION)
        begin = diagonal
    dqx = add_keys(dqx, qx, g, sums, d, k_at, v_at, stride_kn, stride_vn, log2_scale, begin, end,
                   rows + shift, keys, length, window, dims_in, BLOCK_N, PADDED, CAUSAL, WINDOW, PRECISION)
    tl.store(dq + batch * stride_dqb + head * stride_dqh + rows[:, None] * stride_dqm + dims[None, :],
             (dqx * scale).to(dq.dtype.element_ty), mask=inside)


@triton.jit
def zero_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 0.0, mask=i < n)


@triton.jit
def scaled_queries_kernel(sums, dq, scale, heads, queries, stride_b, stride_h, stride_m,
                          HEAD_DIM: tl.constexpr, DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    """The gradients of queries from the sums of attention_at_once_kernel."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, DIM)
    inside = (rows < queries)[:, None] & (dims < HEAD_DIM)[None, :]
    at = sums + ((batch * heads + head) * queries + rows)[:, None] * DIM + dims[None, :]
    value = tl.load(at, mask=inside, other=0.0) * scale
    tl.store(dq + batch * stride_b + head * stride_h + rows[:, None] * stride_m + dims[None, :],
             value.to(dq.dtype.element_ty), mask=inside)
