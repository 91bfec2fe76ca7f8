"""Attention, before the division by the sum of weights: scores are small whole numbers, so weights are powers
of two and all sums exact."""
import triton
import triton.language as tl


@triton.jit
def rows_of(x, i, head, N, BI: tl.constexpr, W: tl.constexpr, FORM: tl.constexpr):
    """BI rows of W elements from row i of a head of N rows."""
    if FORM == "pointers":
        rows = i + tl.arange(0, BI)
        at = (head * N + rows)[:, None] * W + tl.arange(0, W)[None, :]
        return tl.load(x + at, mask=rows[:, None] < N, other=0.0)
    elif FORM == "heads":
        return tl.reshape(x.load([head, i, 0]), (BI, W))
    else:
        return x.load([head * N + i, 0])


@triton.jit
def step(acc, total, top, x, k, v, m, n, head, N, scale, H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr,
         BN: tl.constexpr, CAUSAL: tl.constexpr, EVEN: tl.constexpr, FORM: tl.constexpr):
    s = tl.dot(x, rows_of(k, n, head, N, BN, H, FORM).T) * scale
    columns = n + tl.arange(0, BN)
    if CAUSAL:
        s = tl.where((m + tl.arange(0, BM))[:, None] >= columns[None, :], s, -1.0e6)
    if not EVEN:
        s = tl.where(columns[None, :] < N, s, -1.0e6)
    new = tl.maximum(top, tl.max(s, 1))
    p = tl.exp2(s - new[:, None])
    old = tl.exp2(top - new)
    total = total * old + tl.sum(p, 1)
    y = rows_of(v, n, head, N, BN, D, FORM)
    acc = tl.dot(p.to(y.dtype), y, acc * old[:, None])
    return acc, total, new


@triton.jit
def attention(q, k, v, out, sums, tops, N, scale, H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr,
              BN: tl.constexpr, CAUSAL: tl.constexpr, EVEN: tl.constexpr, FORM: tl.constexpr,
              LOOP: tl.constexpr, QUERY: tl.constexpr):
    m, head = tl.program_id(0) * BM, tl.program_id(1)
    x = rows_of(q, m, head, N, BM, H, FORM)
    if QUERY == "scaled":  # a left operand that is computed once, before the loop
        x = (x.to(tl.float32) * scale).to(x.dtype)
    top = tl.full((BM, ), -1.0e4, tl.float32)
    total = tl.zeros((BM, ), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = tl.minimum(m + BM, N) if CAUSAL else N
    if LOOP == "special":
        for n in tl.range(0, end, BN, warp_specialize=True):
            acc, total, top = step(acc, total, top, x, k, v, m, n, head, N, scale, H, D, BM, BN, CAUSAL, EVEN,
                                   FORM)
    else:
        for n in range(0, end, BN):
            acc, total, top = step(acc, total, top, x, k, v, m, n, head, N, scale, H, D, BM, BN, CAUSAL, EVEN,
                                   FORM)
    rows = m + tl.arange(0, BM)
    tl.store(sums + head * N + rows, total, mask=rows < N)
    tl.store(tops + head * N + rows, top, mask=rows < N)
    at = (head * N + rows)[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(out + at, acc, mask=rows[:, None] < N)
