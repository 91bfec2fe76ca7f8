"""Attention: softmax(q @ k.T * scale) @ v, the softmax block by block of keys."""
import functions
import triton
import triton.language as tl

LOWEST = tl.constexpr(-3.4028234e38)  # of a masked key, which has no weight beside any score


@triton.jit
def attend(acc, weight, peak, q, k_at, v_at, stride_kn, stride_vn, scale, start, stop, positions, keys,
           length, window, dims_in, BLOCK_N: tl.constexpr, PADDED: tl.constexpr, CAUSAL: tl.constexpr,
           WINDOW: tl.constexpr, PRECISION: tl.constexpr):
    """Takes the keys from start to stop into the sums acc and weight, which are relative to the largest
    score."""
    for n in range(start, stop, BLOCK_N):
        n = tl.multiple_of(n, BLOCK_N)
        inside = (n + keys) < length
        if PADDED:
            k = tl.load(k_at + n * stride_kn, mask=inside[None, :] & dims_in[:, None], other=0.0)
        else:
            k = tl.load(k_at + n * stride_kn, mask=inside[None, :], other=0.0)
        score = tl.dot(q, k, input_precision=PRECISION) * scale
        if CAUSAL:
            score = tl.where(positions[:, None] >= (n + keys[None, :]), score, LOWEST)
        if WINDOW:
            score = tl.where(positions[:, None] - window < (n + keys[None, :]), score, LOWEST)
        score = tl.where(inside[None, :], score, LOWEST)
        higher = tl.maximum(peak, tl.max(score, 1))
        p = tl.math.exp2(score - higher[:, None])
        fade = tl.math.exp2(peak - higher)
        weight = weight * fade + tl.sum(p, 1)
        acc *= fade[:, None]
        if PADDED:
            v = tl.load(v_at + n * stride_vn, mask=inside[:, None] & dims_in[None, :], other=0.0)
        else:
            v = tl.load(v_at + n * stride_vn, mask=inside[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision=PRECISION)
        peak = higher
    return acc, weight, peak


@triton.jit
def attention_kernel(q, k, v, out, lse, scale, heads, group, queries, length, window,
                     stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn, stride_vb, stride_vh,
                     stride_vn, stride_ob, stride_oh, stride_om, HEAD_DIM: tl.constexpr, DIM: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr,
                     SQUARE: tl.constexpr, PRECISION: tl.constexpr):
    """A program computes a block of queries of one head; the last query is at the position of the last
    key."""
    tile, batch, head, kv_head = functions.tile_of_queries(heads, group, CAUSAL)
    q += batch * stride_qb + head * stride_qh
    k += batch * stride_kb + kv_head * stride_kh
    v += batch * stride_vb + kv_head * stride_vh
    out += batch * stride_ob + head * stride_oh
    rows = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    keys = tl.arange(0, BLOCK_N)
    dims = tl.arange(0, DIM)
    dims_in = dims < HEAD_DIM
    PADDED: tl.constexpr = DIM != HEAD_DIM
    if PADDED:
        x = tl.load(q + rows[:, None] * stride_qm + dims[None, :],
                    mask=(rows[:, None] < queries) & dims_in[None, :], other=0.0)
    else:
        x = tl.load(q + rows[:, None] * stride_qm + dims[None, :], mask=rows[:, None] < queries, other=0.0)
    k_at = k + keys[None, :] * stride_kn + dims[:, None]
    v_at = v + keys[:, None] * stride_vn + dims[None, :]
    peak = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    weight = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, DIM], tl.float32)
    log2_scale = scale * 1.44269504
    positions = rows
    first = tile * BLOCK_M
    if not SQUARE:
        positions += length - queries
        first += length - queries
    if CAUSAL or WINDOW:
        # Keys before the diagonal need no mask, unless a window ends among them.
        diagonal = first
        if not SQUARE or BLOCK_M % BLOCK_N != 0:
            diagonal = first // BLOCK_N * BLOCK_N
        begin = 0
        if WINDOW:
            begin = tl.maximum(first - window + 1, 0) // BLOCK_N * BLOCK_N
        end = length
        if CAUSAL:
            end = tl.minimum(first + BLOCK_M, length)
            acc, weight, peak = attend(acc, weight, peak, x, k_at, v_at, stride_kn, stride_vn, log2_scale,
                                       begin, diagonal, positions, keys, length, window, dims_in, BLOCK_N,
                                       PADDED, False, WINDOW, PRECISION)
            begin = diagonal
        acc, weight, peak = attend(acc, weight, peak, x, k_at, v_at, stride_kn, stride_vn, log2_scale, begin,
                                   end, positions, keys, length, window, dims_in, BLOCK_N, PADDED, CAUSAL,
                                   WINDOW, PRECISION)
    else:
        acc, weight, peak = attend(acc, weight, peak, x, k_at, v_at, stride_kn, stride_vn, log2_scale, 0,
                                   length, positions, keys, length, window, dims_in, BLOCK_N, PADDED, False,
                                   False, PRECISION)
    if lse is not None:
        sums = (peak + tl.math.log2(weight)) * 0.69314718
        tl.store(lse + (batch * heads + head) * queries + rows, sums, mask=rows < queries)
    acc /= weight[:, None]
    if PADDED:
        tl.store(out + rows[:, None] * stride_om + dims[None, :], acc.to(out.dtype.element_ty),
                 mask=(rows[:, None] < queries) & dims_in[None, :])
    else:
        tl.store(out + rows[:, None] * stride_om + dims[None, :], acc.to(out.dtype.element_ty),
                 mask=rows[:, None] < queries)


@triton.jit
def decode_kernel(q, k, v, table, lengths, partial, peaks, scale, heads, group, queries, length, window,
                  chunk, splits, stride_qb, stride_qh, stride_qm, stride_kb, stride_kh, stride_kn, stride_vb,
                  stride_vh, stride_vn, stride_table, page, HEAD_DIM: tl.constexpr, DIM: tl.constexpr,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr,
                  PRECISION: tl.constexpr):
    """Attention of few queries over many keys: a program computes all queries of a group of heads over one
    part of the keys, and leaves its sum and its weight. Keys lie in pages where there is a table of them."""
    split = tl.program_id(0)
    kv_heads = heads // group
    batch = (tl.program_id(1) // kv_heads).to(tl.int64)
    kv_head = (tl.program_id(1) % kv_heads).to(tl.int64)
    rows = tl.arange(0, BLOCK_M)
    rows_in = rows < group * queries
    head = kv_head * group + rows // queries
    query = rows % queries
    dims = tl.arange(0, DIM)
    dims_in = dims < HEAD_DIM
    if lengths is not None:
        length = tl.load(lengths + batch)
    x = tl.load(q + batch * stride_qb + (head * stride_qh + query * stride_qm)[:, None] + dims[None, :],
                mask=rows_in[:, None] & dims_in[None, :], other=0.0)
    positions = length - queries + query
    k += kv_head * stride_kh
    v += kv_head * stride_vh
    if table is None:
        k += batch * stride_kb
        v += batch * stride_vb
    peak = tl.full([BLOCK_M], LOWEST, dtype=tl.float32)
    weight = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, DIM], tl.float32)
    log2_scale = scale * 1.44269504
    for n in range(split * chunk, tl.minimum(split * chunk + chunk, length), BLOCK_N):
        keys = n + tl.arange(0, BLOCK_N)
        inside = keys < length
        if table is None:
            k_rows = keys * stride_kn
            v_rows = keys * stride_vn
        else:
            number = tl.load(table + batch * stride_table + keys // page, mask=inside, other=0).to(tl.int64)
            k_rows = number * stride_kb + keys % page * stride_kn
            v_rows = number * stride_vb + keys % page * stride_vn
        y = tl.load(k + k_rows[None, :] + dims[:, None], mask=inside[None, :] & dims_in[:, None], other=0.0)
        score = tl.dot(x, y, input_precision=PRECISION) * log2_scale
        valid = inside[None, :]
        if CAUSAL:
            valid = valid & (positions[:, None] >= keys[None, :])
        if WINDOW:
            valid = valid & (positions[:, None] - window < keys[None, :])
        score = tl.where(valid, score, -float("inf"))
        higher = tl.maximum(peak, tl.max(score, 1))
        p = tl.math.exp2(score - higher[:, None])
        fade = tl.math.exp2(peak - higher)
        weight = weight * fade + tl.sum(p, 1)
        z = tl.load(v + v_rows[:, None] + dims[None, :], mask=inside[:, None] & dims_in[None, :], other=0.0)
        acc = tl.dot(p.to(z.dtype), z, acc * fade[:, None], input_precision=PRECISION)
        peak = higher
    row = ((batch * heads + head) * queries + query) * splits + split
    tl.store(partial + row[:, None] * DIM + dims[None, :], acc, mask=rows_in[:, None])
    tl.store(peaks + row * 2, peak, mask=rows_in)
    tl.store(peaks + row * 2 + 1, weight, mask=rows_in)


@triton.jit
def combine_kernel(partial, peaks, out, heads, queries, splits, stride_ob, stride_oh, stride_om,
                   HEAD_DIM: tl.constexpr, DIM: tl.constexpr, SPLITS: tl.constexpr):
    """Adds up the parts that decode_kernel left: a program for each query of each head."""
    row = tl.program_id(0).to(tl.int64)
    query = row % queries
    head = row // queries % heads
    batch = row // queries // heads
    part = tl.arange(0, SPLITS)
    dims = tl.arange(0, DIM)
    there = part < splits
    peak = tl.load(peaks + (row * splits + part) * 2, mask=there, other=LOWEST)
    weight = tl.load(peaks + (row * splits + part) * 2 + 1, mask=there, other=0.0)
    sums = tl.load(partial + ((row * splits + part) * DIM)[:, None] + dims[None, :], mask=there[:, None],
                   other=0.0)
    fade = tl.math.exp2(peak - tl.max(peak, 0))
    weight = tl.sum(weight * fade, 0)
    total = tl.sum(sums * fade[:, None], 0) / tl.where(weight > 0, weight, 1.0)  # 0 without keys
    tl.store(out + batch * stride_ob + head * stride_oh + query * stride_om + dims,
             total.to(out.dtype.element_ty), mask=dims < HEAD_DIM)


@triton.jit
def turned(x, dims, cos, sin, position, HALF: tl.constexpr, PAIRS: tl.constexpr, inside):
    """Elements dims of heads, x, rotated by the angle of a position: element i with i + HALF, or 2 * i with
    2 * i + 1."""
    if PAIRS:
        other = dims ^ 1
        angle = dims // 2
        first = dims % 2 == 0
    else:
        other = (dims + HALF) % (2 * HALF)
        angle = dims % HALF
        first = dims < HALF
    c = tl.load(cos + position * HALF + angle, mask=dims < 2 * HALF, other=0.0)
    s = tl.load(sin + position * HALF + angle, mask=dims < 2 * HALF, other=0.0)
    a = tl.load(x + dims, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(x + other, mask=inside, other=0.0).to(tl.float32)
    return a * c + b * tl.where(first, -s, s)


@triton.jit
def append_kernel(qkv, q, k, v, lengths, slots, cos, sin, heads, kv_heads, queries, page, stride_row,
                  stride_kb, stride_kh, stride_kn, stride_vb, stride_vh, stride_vn, HALF: tl.constexpr,
                  DIM: tl.constexpr, BLOCK_H: tl.constexpr, PAIRS: tl.constexpr, OVERLAP: tl.constexpr):
    """Rotates the heads of q and k of one token, and puts k and v into their slot of the pages; a negative
    slot stands for none."""
    functions.wait(OVERLAP)
    row = tl.program_id(0).to(tl.int64)
    length = tl.load(lengths + row // queries)
    position = length - queries + row % queries
    slot = tl.load(slots + row).to(tl.int64)
    head = tl.arange(0, BLOCK_H)[:, None]
    dims = tl.arange(0, DIM)[None, :]
    inside = (head < heads + kv_heads) & (dims < 2 * HALF)
    qkv += row * stride_row
    x = turned(qkv + head * (2 * HALF), dims, cos, sin, position, HALF, PAIRS, inside)
    tl.store(q + (row * heads + head) * (2 * HALF) + dims, x.to(q.dtype.element_ty),
             mask=inside & (head < heads))
    k += slot // page * stride_kb + slot % page * stride_kn
    tl.store(k + (head - heads) * stride_kh + dims, x.to(k.dtype.element_ty),
             mask=inside & (head >= heads) & (slot >= 0))
    inside = (head < kv_heads) & (dims < 2 * HALF) & (slot >= 0)
    y = tl.load(qkv + (head + heads + kv_heads) * (2 * HALF) + dims, mask=inside, other=0.0)
    v += slot // page * stride_vb + slot % page * stride_vn
    tl.store(v + head * stride_vh + dims, y, mask=inside)


@triton.jit
def tile_of(k, v, table, n, stop, page, dims, dims_in, stride_kb, stride_kn, stride_vb, stride_vn,
            BLOCK_N: tl.constexpr):
    """The keys, transposed, and values at positions from n on, up to stop."""
    at = n + tl.arange(0, BLOCK_N)
    there = at < stop
    number = tl.load(table + at // page, mask=there, other=0).to(tl.int64)
    k_rows = number * stride_kb + at % page * stride_kn
    v_rows = number * stride_vb + at % page * stride_vn
    y = tl.load(k + k_rows[None, :] + dims[:, None], mask=there[None, :] & dims_in[:, None], other=0.0)
    z = tl.load(v + v_rows[:, None] + dims[None, :], mask=there[:, None] & dims_in[None, :], other=0.0)
    return y, z


@triton.jit
def append_decode_kernel(qkv, k, v, table, lengths, slots, cos, sin, out, partial, peaks, counters, scale,
                         heads, group, window, splits, page, stride_row, stride_kb, stride_kh, stride_kn,
                         stride_vb, stride_vh, stride_vn, stride_table, stride_ob, HALF: tl.constexpr,
                         DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP: tl.constexpr,
                         PARTS: tl.constexpr, PAIRS: tl.constexpr, WINDOW: tl.constexpr,
                         PRECISION: tl.constexpr, OVERLAP: tl.constexpr):
    """append_kernel and decode_kernel for one new token of each sequence. The programs of a sequence and a
    head of k have a part of the keys each; the last of them to end adds up what the others left. The new key
    is not read from the pages, which another program writes it to."""
    split = tl.program_id(0)
    kv_heads = heads // group
    batch = (tl.program_id(1) // kv_heads).to(tl.int64)
    kv_head = (tl.program_id(1) % kv_heads).to(tl.int64)
    SIZE: tl.constexpr = 2 * HALF
    dims = tl.arange(0, DIM)
    dims_in = dims < SIZE
    functions.wait(OVERLAP)
    length = tl.load(lengths + batch)
    position = length - 1
    chunk = tl.cdiv(tl.cdiv(length, splits), BLOCK_N) * BLOCK_N
    parts = tl.cdiv(length, chunk)
    if split >= parts:
        return
    k += kv_head * stride_kh
    v += kv_head * stride_vh
    table += batch * stride_table
    n = split * chunk
    old = tl.minimum(n + chunk, position)
    y, z = tile_of(k, v, table, n, old, page, dims, dims_in, stride_kb, stride_kn, stride_vb, stride_vn,
                   BLOCK_N)
    slot = tl.load(slots + batch).to(tl.int64)
    rows = tl.arange(0, BLOCK_M)
    rows_in = rows < group
    qkv += batch * stride_row
    head = kv_head * group + rows
    x = turned(qkv + (head * SIZE)[:, None], dims[None, :], cos, sin, position, HALF, PAIRS,
               rows_in[:, None] & dims_in[None, :]).to(k.dtype.element_ty)
    new_k = turned(qkv + (heads + kv_head) * SIZE, dims, cos, sin, position, HALF, PAIRS,
                   dims_in).to(k.dtype.element_ty)
    new_v = tl.load(qkv + (heads + kv_heads + kv_head) * SIZE + dims, mask=dims_in, other=0.0)
    peak = tl.full([BLOCK_M], LOWEST, dtype=tl.float32)
    weight = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, DIM], tl.float32)
    log2_scale = scale * 1.44269504
    stop = tl.minimum(n + chunk, length)
    while n < stop:
        keys = n + tl.arange(0, BLOCK_N)
        is_new = keys == position
        y = tl.where(is_new[None, :], new_k[:, None], y)
        z = tl.where(is_new[:, None], new_v[None, :], z)
        score = tl.dot(x, y, input_precision=PRECISION) * log2_scale
        valid = keys < length
        if WINDOW:
            valid = valid & (position - window < keys)
        score = tl.where(valid[None, :], score, -float("inf"))
        higher = tl.maximum(peak, tl.max(score, 1))
        p = tl.math.exp2(score - higher[:, None])
        fade = tl.math.exp2(peak - higher)
        weight = weight * fade + tl.sum(p, 1)
        acc = tl.dot(p.to(z.dtype), z, acc * fade[:, None], input_precision=PRECISION)
        peak = higher
        n += BLOCK_N
        y, z = tile_of(k, v, table, n, old, page, dims, dims_in, stride_kb, stride_kn, stride_vb, stride_vn,
                       BLOCK_N)
    if split == parts - 1:
        there = dims_in & (slot >= 0)
        tl.store(k + slot // page * stride_kb + slot % page * stride_kn + dims, new_k, mask=there)
        tl.store(v + slot // page * stride_vb + slot % page * stride_vn + dims, new_v, mask=there)
    out += batch * stride_ob + kv_head * group * SIZE
    if parts == 1:
        tl.store(out + rows[:, None] * SIZE + dims[None, :], (acc / weight[:, None]).to(out.dtype.element_ty),
                 mask=rows_in[:, None] & dims_in[None, :])
        return
    first = (batch * heads + kv_head * group) * splits
    row = first + rows * splits + split
    tl.store(partial + row[:, None] * DIM + dims[None, :], acc, mask=rows_in[:, None])
    tl.store(peaks + row * 2, peak, mask=rows_in)
    tl.store(peaks + row * 2 + 1, weight, mask=rows_in)
    tl.debug_barrier()  # all threads have stored
    counter = counters + tl.program_id(1)
    if tl.atomic_add(counter, 1, sem="acq_rel") == parts - 1:
        tl.debug_barrier()
        tl.store(counter, 0)  # for the next launch
        combined(partial + first * DIM, peaks + first * 2, out, group, parts, splits, SIZE, DIM, GROUP, PARTS)


@triton.jit
def append_decode_core_kernel(qkv, k, v, table, lengths, slots, cos, sin, out, scale, heads, group, window,
                              stride_row, stride_kb, stride_kh, stride_kn, stride_vb, stride_vh, stride_vn,
                              stride_table, stride_ob, HALF: tl.constexpr, DIM: tl.constexpr,
                              PAGE: tl.constexpr, PAIRS: tl.constexpr, WINDOW: tl.constexpr):
    """append_decode_kernel for a core of a CPU: a program computes one head, page by page, without products
    of tiles, most of which would be padding."""
    batch = tl.program_id(1).to(tl.int64)
    head = tl.program_id(0)
    kv_head = head // group
    kv_heads = heads // group
    SIZE: tl.constexpr = 2 * HALF
    dims = tl.arange(0, DIM)
    dims_in = dims < SIZE
    position = tl.load(lengths + batch) - 1
    slot = tl.load(slots + batch).to(tl.int64)
    k += kv_head * stride_kh
    v += kv_head * stride_vh
    table += batch * stride_table
    qkv += batch * stride_row
    x = turned(qkv + head * SIZE, dims, cos, sin, position, HALF, PAIRS, dims_in)
    x = x.to(k.dtype.element_ty).to(tl.float32) * (scale * 1.44269504)
    new_k = turned(qkv + (heads + kv_head) * SIZE, dims, cos, sin, position, HALF, PAIRS, dims_in)
    new_k = new_k.to(k.dtype.element_ty)
    new_v = tl.load(qkv + (heads + kv_heads + kv_head) * SIZE + dims, mask=dims_in, other=0.0)
    peak = tl.sum(x * new_k.to(tl.float32), 0)
    weight = 1.0
    acc = new_v.to(tl.float32)
    begin = 0
    if WINDOW:
        begin = tl.maximum(position - window + 1, 0) // PAGE
    for n in range(begin, tl.cdiv(position, PAGE)):
        number = tl.load(table + n).to(tl.int64)
        at = tl.arange(0, PAGE)
        there = at < position - n * PAGE
        inside = there[:, None] & dims_in[None, :]
        y = tl.load(k + number * stride_kb + at[:, None] * stride_kn + dims[None, :], mask=inside, other=0.0)
        score = tl.sum(x[None, :] * y.to(tl.float32), 1)
        if WINDOW:
            there = there & (at > position - window - n * PAGE)
        score = tl.where(there, score, -float("inf"))
        higher = tl.maximum(peak, tl.max(score, 0))
        p = tl.math.exp2(score - higher)
        fade = tl.math.exp2(peak - higher)
        z = tl.load(v + number * stride_vb + at[:, None] * stride_vn + dims[None, :], mask=inside, other=0.0)
        weight = weight * fade + tl.sum(p, 0)
        acc = acc * fade + tl.sum(p[:, None] * z.to(tl.float32), 0)
        peak = higher
    if head % group == 0:
        there = dims_in & (slot >= 0)
        tl.store(k + slot // PAGE * stride_kb + slot % PAGE * stride_kn + dims, new_k, mask=there)
        tl.store(v + slot // PAGE * stride_vb + slot % PAGE * stride_vn + dims, new_v, mask=there)
    tl.store(out + batch * stride_ob + head * SIZE + dims, (acc / weight).to(out.dtype.element_ty),
             mask=dims_in)


@triton.jit
def combined(partial, peaks, out, group, parts, splits, SIZE: tl.constexpr, DIM: tl.constexpr,
             GROUP: tl.constexpr, PARTS: tl.constexpr):
    """Adds up the parts that the programs of a sequence and a head of k left."""
    dims = tl.arange(0, DIM)
    rows = tl.arange(0, GROUP)
    peak = tl.full([GROUP], LOWEST, dtype=tl.float32)
    weight = tl.zeros([GROUP], tl.float32)
    acc = tl.zeros([GROUP, DIM], tl.float32)
    for start in range(0, parts, PARTS):
        part = start + tl.arange(0, PARTS)
        at = rows[None, :] * splits + part[:, None]
        there = (rows < group)[None, :] & (part < parts)[:, None]
        p = tl.load(peaks + at * 2, mask=there, other=LOWEST, cache_modifier=".cg")
        w = tl.load(peaks + at * 2 + 1, mask=there, other=0.0, cache_modifier=".cg")
        a = tl.load(partial + at[:, :, None] * DIM + dims[None, None, :], mask=there[:, :, None], other=0.0,
                    cache_modifier=".cg")
        higher = tl.maximum(peak, tl.max(p, 0))
        fade = tl.math.exp2(p - higher[None, :])
        before = tl.math.exp2(peak - higher)
        weight = weight * before + tl.sum(w * fade, 0)
        acc = acc * before[:, None] + tl.sum(a * fade[:, :, None], 0)
        peak = higher
    tl.store(out + rows[:, None] * SIZE + dims[None, :], (acc / weight[:, None]).to(out.dtype.element_ty),
             mask=(rows < group)[:, None] & (dims < SIZE)[None, :])
