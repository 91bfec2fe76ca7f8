"""Products of matrices in every form: where operands and results lie, and how programs walk over tiles."""
import triton
import triton.language as tl


@triton.jit
def place(t, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """The first row and column of tile t, where GROUP rows of tiles follow each other in columns."""
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    if GROUP == 1:
        m, n = t // across, t % across
    else:
        first = t // (GROUP * across) * GROUP
        rows = tl.minimum(down - first, GROUP)
        inside = t % (GROUP * across)
        m, n = first + inside % rows, inside // rows
    return m * BM, n * BN


@triton.jit
def operand(x, i, k, N, K, si, sk, BI: tl.constexpr, BK: tl.constexpr, FORM: tl.constexpr, T: tl.constexpr):
    """BI rows from i and BK columns from k of an operand whose rows are those of the result."""
    if FORM == "pointers":
        rows, columns = i + tl.arange(0, BI), k + tl.arange(0, BK)
        inside = (rows[:, None] < N) & (columns[None, :] < K)
        return tl.load(x + rows[:, None] * si + columns[None, :] * sk, mask=inside, other=0.0)
    elif FORM == "wrapped":
        rows, columns = (i + tl.arange(0, BI)) % N, k + tl.arange(0, BK)
        return tl.load(x + rows[:, None] * si + columns[None, :] * sk, mask=columns[None, :] < K, other=0.0)
    elif T:
        return x.load([k, i]).T
    else:
        return x.load([i, k])


@triton.jit
def multiply(x, y, acc, ACC: tl.constexpr, PRECISION: tl.constexpr):
    """acc and the product of x and y. "widened" only widens them to fp32, and the compiler multiplies the
    numbers before; "wide" computes the operands in fp32, and the product stays in tf32."""
    if PRECISION == "widened":
        return tl.dot(x.to(tl.float32), y.to(tl.float32), acc, input_precision="tf32", out_dtype=ACC)
    elif PRECISION == "wide":
        x, y = x.to(tl.float32) * 2, y.to(tl.float32) * 0.5
        return tl.dot(x, y, acc, input_precision="tf32", out_dtype=ACC)
    else:
        return tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=ACC)


@triton.jit
def keep(c, acc, m, n, M, N, sc, BM: tl.constexpr, BN: tl.constexpr, FORM: tl.constexpr):
    """Stores a tile, by pointers, by a descriptor, or by a descriptor in two halves."""
    if FORM == "pointers":
        rows, columns = m + tl.arange(0, BM), n + tl.arange(0, BN)
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        tl.store(c + rows[:, None] * sc + columns[None, :], acc.to(c.dtype.element_ty), mask=inside)
    elif FORM == "halves":
        left, right = tl.split(tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1)))
        c.store([m, n], left.to(c.dtype))
        c.store([m, n + BN // 2], right.to(c.dtype))
    else:
        c.store([m, n], acc.to(c.dtype))


@triton.jit
def tile(t, a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
         GROUP: tl.constexpr, AFORM: tl.constexpr, BFORM: tl.constexpr, CFORM: tl.constexpr, TA: tl.constexpr,
         TB: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr):
    m, n = place(t, M, N, BM, BN, GROUP)
    acc = tl.zeros((BM, BN), ACC)
    for k in range(0, K, BK):
        x = operand(a, m, k, M, K, sam, sak, BM, BK, AFORM, TA)
        y = operand(b, n, k, N, K, sbn, sbk, BN, BK, BFORM, TB)
        acc = multiply(x, y.T, acc, ACC, PRECISION)
    keep(c, acc, m, n, M, N, sc, BM, BN, CFORM)


@triton.jit
def product(a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            GROUP: tl.constexpr, AFORM: tl.constexpr, BFORM: tl.constexpr, CFORM: tl.constexpr,
            TA: tl.constexpr, TB: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr,
            LOOP: tl.constexpr, STEP: tl.constexpr):
    """c [M, N] = a [M, K] times the transpose of b [N, K]. Descriptors come from the host."""
    first, count = tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN)
    if LOOP == "none":
        tile(first, a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM, BN, BK, GROUP, AFORM, BFORM, CFORM, TA, TB,
             ACC, PRECISION)
    elif LOOP == "walk":
        for t in range(first, count, STEP):
            tile(t, a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM, BN, BK, GROUP, AFORM, BFORM, CFORM, TA, TB,
                 ACC, PRECISION)
    elif LOOP == "flat":
        for t in tl.range(first, count, STEP, flatten=True):
            tile(t, a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM, BN, BK, GROUP, AFORM, BFORM, CFORM, TA, TB,
                 ACC, PRECISION)
    else:
        for t in tl.range(first, count, STEP, warp_specialize=True):
            tile(t, a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM, BN, BK, GROUP, AFORM, BFORM, CFORM, TA, TB,
                 ACC, PRECISION)


@triton.jit
def described(x, rows, columns, stride, BR: tl.constexpr, BC: tl.constexpr, FORM: tl.constexpr,
              T: tl.constexpr):
    """x, or a descriptor of x that is made here."""
    if FORM == "pointers" or FORM == "wrapped":
        return x
    elif T:
        return tl.make_tensor_descriptor(x, [columns, rows], [stride, 1], [BC, BR])
    else:
        return tl.make_tensor_descriptor(x, [rows, columns], [stride, 1], [BR, BC])


@triton.jit
def made(a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
         GROUP: tl.constexpr, AFORM: tl.constexpr, BFORM: tl.constexpr, CFORM: tl.constexpr, TA: tl.constexpr,
         TB: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr, LOOP: tl.constexpr,
         STEP: tl.constexpr):
    """product, with descriptors that the kernel makes."""
    HALF: tl.constexpr = BN // 2 if CFORM == "halves" else BN
    a = described(a, M, K, sak if TA else sam, BM, BK, AFORM, TA)
    b = described(b, N, K, sbk if TB else sbn, BN, BK, BFORM, TB)
    c = described(c, M, N, sc, BM, HALF, CFORM, False)
    product(a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM, BN, BK, GROUP, AFORM, BFORM, CFORM, TA, TB, ACC,
            PRECISION, LOOP, STEP)


@triton.jit
def advanced(a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
             GROUP: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr, EVEN: tl.constexpr):
    """product, by pointers that the loop moves on."""
    m, n = place(tl.program_id(0), M, N, BM, BN, GROUP)
    rows, columns, ks = (m + tl.arange(0, BM)) % M, (n + tl.arange(0, BN)) % N, tl.arange(0, BK)
    left = a + rows[:, None] * sam + ks[None, :] * sak
    right = b + ks[:, None] * sbk + columns[None, :] * sbn
    acc = tl.zeros((BM, BN), ACC)
    for k in range(0, tl.cdiv(K, BK)):
        if EVEN:
            x, y = tl.load(left), tl.load(right)
        else:
            x = tl.load(left, mask=ks[None, :] < K - k * BK, other=0.0)
            y = tl.load(right, mask=ks[:, None] < K - k * BK, other=0.0)
        acc = multiply(x, y, acc, ACC, PRECISION)
        left += BK * sak
        right += BK * sbk
    keep(c, acc, m, n, M, N, sc, BM, BN, "pointers")


@triton.jit
def blocks(a, b, c, M, N, K, sam, sak, sbn, sbk, sc, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, TA: tl.constexpr, TB: tl.constexpr, ACC: tl.constexpr,
           PRECISION: tl.constexpr):
    """product, by block pointers."""
    m, n = place(tl.program_id(0), M, N, BM, BN, GROUP)
    left = tl.make_block_ptr(a, (M, K), (sam, sak), (m, 0), (BM, BK), (0, 1) if TA else (1, 0))
    right = tl.make_block_ptr(b, (K, N), (sbk, sbn), (0, n), (BK, BN), (1, 0) if TB else (0, 1))
    acc = tl.zeros((BM, BN), ACC)
    for k in range(0, K, BK):
        x = tl.load(left, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(right, boundary_check=(0, 1), padding_option="zero")
        acc = multiply(x, y, acc, ACC, PRECISION)
        left = tl.advance(left, (0, BK))
        right = tl.advance(right, (BK, 0))
    out = tl.make_block_ptr(c, (M, N), (sc, 1), (m, n), (BM, BN), (1, 0))
    tl.store(out, acc.to(c.dtype.element_ty), boundary_check=(0, 1))
