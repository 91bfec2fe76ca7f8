"""Products of products: c [M, D] = f(a [M, H] times the transpose of b [N, H]) times d [N, D]."""
import triton
import triton.language as tl


@triton.jit
def between(s, m, n, F: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """A function of the first product, whose values the second product's type holds."""
    if F == "sign":
        s = tl.minimum(tl.maximum(s, -1), 1)
    elif F == "relu":
        s = tl.maximum(s, 0)
    elif F == "causal":
        s = tl.where((m + tl.arange(0, BM))[:, None] >= (n + tl.arange(0, BN))[None, :], s, 0)
    return s


@triton.jit
def rows_of(x, i, N, BI: tl.constexpr, W: tl.constexpr, FORM: tl.constexpr):
    """BI rows of W elements from row i."""
    if FORM == "pointers":
        rows = i + tl.arange(0, BI)
        return tl.load(x + rows[:, None] * W + tl.arange(0, W)[None, :], mask=rows[:, None] < N, other=0.0)
    else:
        return x.load([i, 0])


@triton.jit
def step(acc, x, b, d, m, n, N, H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
         F: tl.constexpr, FORM: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr):
    s = tl.dot(x, rows_of(b, n, N, BN, H, FORM).T, input_precision=PRECISION, out_dtype=ACC)
    y = rows_of(d, n, N, BN, D, FORM)
    s = between(s, m, n, F, BM, BN).to(y.dtype)
    return tl.dot(s, y, acc, input_precision=PRECISION, out_dtype=ACC)


@triton.jit
def chain(a, b, d, c, M, N, H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
          F: tl.constexpr, FORM: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr,
          LOOP: tl.constexpr):
    m = tl.program_id(0) * BM
    x = rows_of(a, m, M, BM, H, FORM)
    acc = tl.zeros((BM, D), ACC)
    if LOOP == "special":
        for n in tl.range(0, N, BN, warp_specialize=True):
            acc = step(acc, x, b, d, m, n, N, H, D, BM, BN, F, FORM, ACC, PRECISION)
    else:
        for n in range(0, N, BN):
            acc = step(acc, x, b, d, m, n, N, H, D, BM, BN, F, FORM, ACC, PRECISION)
    if FORM == "pointers":
        rows = m + tl.arange(0, BM)
        at = rows[:, None] * D + tl.arange(0, D)[None, :]
        tl.store(c + at, acc.to(c.dtype.element_ty), mask=rows[:, None] < M)
    else:
        c.store([m, 0], acc.to(c.dtype))


@triton.jit
def made(a, b, d, c, M, N, H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
         F: tl.constexpr, FORM: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr, LOOP: tl.constexpr):
    """chain, with descriptors that the kernel makes."""
    a = tl.make_tensor_descriptor(a, [M, H], [H, 1], [BM, H])
    b = tl.make_tensor_descriptor(b, [N, H], [H, 1], [BN, H])
    d = tl.make_tensor_descriptor(d, [N, D], [D, 1], [BN, D])
    c = tl.make_tensor_descriptor(c, [M, D], [D, 1], [BM, D])
    chain(a, b, d, c, M, N, H, D, BM, BN, F, FORM, ACC, PRECISION, LOOP)
