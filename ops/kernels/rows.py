"""Kernels of rows that are no formulas: rotary embedding, cross entropy, sums of all elements before,
order."""
import functions
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x, cos, sin, out, heads, positions, stride_xb, stride_xh, stride_xt, stride_ob, stride_oh,
                stride_ot, stride_cb, stride_ct, HALF: tl.constexpr, BLOCK: tl.constexpr, HEADS: tl.constexpr,
                PAIRS: tl.constexpr, IN_PLACE: tl.constexpr):
    """Rotates pairs of elements by an angle for each position: element i with i + HALF, or 2 * i with 2 * i +
    1."""
    batch = (tl.program_id(0) // positions).to(tl.int64)
    position = (tl.program_id(0) % positions).to(tl.int64)
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)
    i = tl.arange(0, BLOCK)
    inside = (head < heads)[:, None] & (i < HALF)[None, :]
    turn = batch * stride_cb + position * stride_ct + i
    c = tl.load(cos + turn, mask=i < HALF)[None, :].to(tl.float32)
    s = tl.load(sin + turn, mask=i < HALF)[None, :].to(tl.float32)
    if PAIRS:
        first = (2 * i)[None, :]
        second = (2 * i + 1)[None, :]
    else:
        first = i[None, :]
        second = (i + HALF)[None, :]
    x_at = x + batch * stride_xb + position * stride_xt + (head * stride_xh)[:, None]
    out_at = out + batch * stride_ob + position * stride_ot + (head * stride_oh)[:, None]
    u = tl.load(x_at + first, mask=inside).to(tl.float32)
    v = tl.load(x_at + second, mask=inside).to(tl.float32)
    if IN_PLACE:
        tl.debug_barrier()  # all threads have read x
    tl.store(out_at + first, (u * c - v * s).to(out.dtype.element_ty), mask=inside)
    tl.store(out_at + second, (v * c + u * s).to(out.dtype.element_ty), mask=inside)


@triton.jit
def cross_entropy_kernel(logits, labels, loss, sums, cols, stride, BLOCK: tl.constexpr):
    """loss = log(sum(exp(logits))) - logits[label]; 0 for a label outside of the row. A program for each row.
    sums, if they are there, get the logarithms."""
    row = tl.program_id(0).to(tl.int64)
    logits += row * stride
    label = tl.load(labels + row).to(tl.int64)
    lse = functions.log_sum_exp(logits, cols, BLOCK)
    valid = (label >= 0) & (label < cols)
    x = tl.load(logits + label, mask=valid, other=0.0).to(tl.float32)
    tl.store(loss + row, tl.where(valid, lse - x, 0.0).to(loss.dtype.element_ty))
    if sums is not None:
        tl.store(sums + row, lse)


@triton.jit
def softmax_kernel(x, out, cols, stride_x, stride_out, BLOCK: tl.constexpr, LOG: tl.constexpr):
    """Softmax of rows that no tile holds, or its logarithm. A program reads a row twice, the second time from
    the caches."""
    row = tl.program_id(0).to(tl.int64)
    x += row * stride_x
    out += row * stride_out
    peak, total = functions.peak_and_sum(x, cols, BLOCK)
    log_total = tl.log(total)
    scale = 1.0 / total
    for start in range(0, cols, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(x + col, mask=col < cols, other=0.0).to(tl.float32) - peak
        if LOG:
            v -= log_total
        else:
            v = tl.exp(v) * scale
        tl.store(out + col, v.to(out.dtype.element_ty), mask=col < cols)


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def cumsum_kernel(x, out, rows, cols, stride_xr, stride_xc, stride_or, stride_oc, R: tl.constexpr,
                  C: tl.constexpr, ACC: tl.constexpr):
    """out[r, c] = x[r, 0] + … + x[r, c]."""
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    carry = tl.zeros([R, 1], ACC)
    for start in range(0, cols, C):
        col = start + tl.arange(0, C)
        inside = (row < rows)[:, None] & (col < cols)[None, :]
        v = tl.load(x + (row * stride_xr)[:, None] + (col * stride_xc)[None, :], mask=inside, other=0).to(ACC)
        s = tl.associative_scan(v, 1, add) + carry
        tl.store(out + (row * stride_or)[:, None] + (col * stride_oc)[None, :], s.to(out.dtype.element_ty),
                 mask=inside)
        carry += tl.sum(v, 1, keep_dims=True)


@triton.jit
def ordered(x, col):
    """Keys whose order as integers is that of x, descending by column among equals; NaN is the largest, and -0
    is 0."""
    bits = x.to(tl.float32).to(tl.int32, bitcast=True)
    bits = tl.where(x != x, 0x7FFFFFFF, tl.where(bits < 0, (bits ^ 0x7FFFFFFF) + 1, bits))
    return (bits.to(tl.int64) << 32) | (0x7FFFFFFF - col).to(tl.int64)


@triton.jit
def unordered(key, dtype: tl.constexpr):
    """The number and the column of a key of ordered."""
    bits = (key >> 32).to(tl.int32)
    bits = tl.where(bits < 0, (bits - 1) ^ 0x7FFFFFFF, bits)
    return bits.to(tl.float32, bitcast=True).to(dtype), 0x7FFFFFFF - (key & 0x7FFFFFFF)


@triton.jit
def top_kernel(x, keys, cols, parts, stride, BLOCK: tl.constexpr, K: tl.constexpr):
    """The K largest of a block of a row, as keys; a program for each block of each row."""
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1)
    col = part * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + col, mask=col < cols, other=0.0)
    key = tl.where(col < cols, ordered(v, col), -0x8000000000000000)
    tl.store(keys + (row * parts + part) * K + tl.arange(0, K), tl.topk(key, K))


@triton.jit
def select_kernel(keys, values, indices, n, count, BLOCK: tl.constexpr, K: tl.constexpr):
    """The K largest of a row of keys, as numbers and columns; count of them are stored."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    key = tl.load(keys + row * n + i, mask=i < n, other=-0x8000000000000000)
    best = tl.topk(key, K)
    v, col = unordered(best, values.dtype.element_ty)
    j = tl.arange(0, K)
    tl.store(values + row * count + j, v, mask=j < count)
    tl.store(indices + row * count + j, col, mask=j < count)


@triton.jit
def sort_kernel(x, values, indices, cols, stride, BLOCK: tl.constexpr, DESCENDING: tl.constexpr):
    """A row in order, and the columns that its elements had; equal elements keep their order."""
    row = tl.program_id(0).to(tl.int64)
    col = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + col, mask=col < cols, other=0.0)
    if DESCENDING:
        key = tl.where(col < cols, ordered(v, col), -0x8000000000000000)
    else:
        # equal elements by column ascending: the column is inverted twice
        key = tl.where(col < cols, ordered(v, 0x7FFFFFFF - col), 0x7FFFFFFFFFFFFFFF)
    key = tl.sort(key, descending=DESCENDING)
    w, at = unordered(key, values.dtype.element_ty)
    if not DESCENDING:
        at = 0x7FFFFFFF - at
    tl.store(values + row * cols + col, w, mask=col < cols)
    tl.store(indices + row * cols + col, at, mask=col < cols)


@triton.jit(do_not_specialize=["seed", "step"])
def sample_kernel(values, indices, tokens, n, temperature, top_p, min_p, seed, step, K: tl.constexpr):
    """Draws one of n candidates of a row, sorted by falling logit: those that are less likely than min_p of
    the likeliest go, and those behind the first that reach top_p together."""
    row = tl.program_id(0)
    i = tl.arange(0, K)
    x = tl.load(values + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    p = tl.where(i < n, tl.exp((x - tl.max(x, 0)) / temperature), 0.0)
    p = tl.where((p >= min_p) | (i == 0), p, 0.0)
    p = p / tl.sum(p, 0)
    before = tl.associative_scan(p, 0, add) - p
    p = tl.where((before < top_p) | (i == 0), p, 0.0)
    upto = tl.associative_scan(p, 0, add)
    total = tl.sum(p, 0)
    u = tl.rand(seed, step * 65536 + row) * total
    chosen = tl.min(tl.where((upto > u) & (p > 0), i, n - 1), 0)
    tl.store(tokens + row, tl.load(indices + row * n + chosen))


@triton.jit
def repetition_kernel(logits, seen, out, cols, count, penalty, BLOCK: tl.constexpr):
    """Makes tokens that were seen less likely: out has logits there divided by the penalty, or times it if
    they are negative. A token that was seen twice is stored twice, with the same value."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    token = tl.load(seen + row * count + i, mask=i < count, other=-1).to(tl.int64)
    valid = (token >= 0) & (token < cols)
    x = tl.load(logits + row * cols + token, mask=valid, other=0.0).to(tl.float32)
    y = tl.where(x > 0, x / penalty, x * penalty)
    tl.store(out + row * cols + token, y.to(out.dtype.element_ty), mask=valid)
