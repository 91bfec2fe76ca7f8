"""Products of matrices, with what is done to each element of the result before it is stored."""
import functions
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def epilogue(x):
    return x


@triton.jit
def matmul_kernel(a, b, out, bias, plus, M, N, K, heads, stride_am, stride_ak, stride_bk, stride_bn,
                  stride_om, stride_on, stride_bias, stride_pm, stride_pn, a_batch, a_head, b_batch, b_head,
                  o_batch, o_head, p_batch, p_head, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, TYPE: tl.constexpr, ACC: tl.constexpr,
                  PRECISION: tl.constexpr, BATCHED: tl.constexpr):
    """out = epilogue(a @ b + bias) + plus, for each pair of batch and head. Tiles are walked in groups of
    rows, so that neighbouring programs share the L2 cache."""
    program = tl.program_id(0)
    if BATCHED:
        batch = (tl.program_id(1) // heads).to(tl.int64)
        head = (tl.program_id(1) % heads).to(tl.int64)
        a += batch * a_batch + head * a_head
        b += batch * b_batch + head * b_head
        out += batch * o_batch + head * o_head
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * tiles_n
    first_m = (program // in_group) * GROUP_M
    height = min(tiles_m - first_m, GROUP_M)
    tile_m = first_m + (program % in_group) % height
    tile_n = (program % in_group) // height

    # Rows and columns past the edge wrap around: they are read, but not stored.
    rows = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    cols = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    depth = tl.arange(0, BLOCK_K)
    a_at = a + rows[:, None] * stride_am + depth[None, :] * stride_ak
    b_at = b + depth[:, None] * stride_bk + cols[None, :] * stride_bn
    acc = tl.zeros([BLOCK_M, BLOCK_N], ACC)
    for step in range(tl.cdiv(K, BLOCK_K)):
        x = tl.load(a_at, mask=depth[None, :] < K - step * BLOCK_K, other=0.0)
        y = tl.load(b_at, mask=depth[:, None] < K - step * BLOCK_K, other=0.0)
        acc = tl.dot(x.to(TYPE), y.to(TYPE), acc, input_precision=PRECISION, out_dtype=ACC)
        a_at += BLOCK_K * stride_ak
        b_at += BLOCK_K * stride_bk
    out_m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    out_n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    if bias is not None:
        acc += tl.load(bias + cols * stride_bias)[None, :].to(ACC)
    c = epilogue(acc)
    inside = (out_m[:, None] < M) & (out_n[None, :] < N)
    if plus is not None:
        if BATCHED:
            plus += batch * p_batch + head * p_head
        c += tl.load(plus + out_m[:, None] * stride_pm + out_n[None, :] * stride_pn, mask=inside).to(c.dtype)
    tl.store(out + out_m[:, None] * stride_om + out_n[None, :] * stride_on, c.to(out.dtype.element_ty),
             mask=inside)


@triton.jit
def matmul_strip_kernel(a, b, out, bias, plus, M, N, K, heads, stride_am, stride_ak, stride_bk, stride_bn,
                        stride_om, stride_on, stride_bias, stride_pm, stride_pn, a_batch, a_head, b_batch,
                        b_head, o_batch, o_head, p_batch, p_head, BLOCK_M: tl.constexpr,
                        BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, TILES: tl.constexpr,
                        TYPE: tl.constexpr, ACC: tl.constexpr, BATCHED: tl.constexpr):
    """The same for K of at most BLOCK_K: a program computes TILES tiles side by side from the same rows of a,
    and stores each while it computes the next one."""
    if BATCHED:
        batch = (tl.program_id(2) // heads).to(tl.int64)
        head = (tl.program_id(2) % heads).to(tl.int64)
        a += batch * a_batch + head * a_head
        b += batch * b_batch + head * b_head
        out += batch * o_batch + head * o_head
        if plus is not None:
            plus += batch * p_batch + head * p_head
    rows = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, BLOCK_K)
    x = tl.load(a + rows[:, None] * stride_am + depth[None, :] * stride_ak,
                mask=(rows < M)[:, None] & (depth < K)[None, :], other=0.0).to(TYPE)
    first = tl.program_id(0) * (TILES * BLOCK_N)
    for start in range(first, min(first + TILES * BLOCK_N, N), BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        y = tl.load(b + depth[:, None] * stride_bk + cols[None, :] * stride_bn,
                    mask=(depth < K)[:, None] & (cols < N)[None, :], other=0.0)
        acc = tl.dot(x, y.to(TYPE), out_dtype=ACC)
        if bias is not None:
            acc += tl.load(bias + cols * stride_bias, mask=cols < N)[None, :].to(ACC)
        c = epilogue(acc)
        inside = (rows < M)[:, None] & (cols < N)[None, :]
        if plus is not None:
            c += tl.load(plus + rows[:, None] * stride_pm + cols[None, :] * stride_pn, mask=inside).to(c.dtype)
        tl.store(out + rows[:, None] * stride_om + cols[None, :] * stride_on, c.to(out.dtype.element_ty),
                 mask=inside)


@triton.jit
def matvec_kernel(a, b, out, bias, plus, M, N, K, heads, stride_am, stride_ak, stride_bk, stride_bn,
                  stride_om, stride_on, stride_bias, stride_pm, stride_pn, a_batch, a_head, b_batch, b_head,
                  o_batch, o_head, p_batch, p_head, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  ACC: tl.constexpr, BATCHED: tl.constexpr):
    """The same for few rows: a program computes some columns of one row, without tensor cores."""
    row = tl.program_id(1)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    if BATCHED:
        batch = (tl.program_id(2) // heads).to(tl.int64)
        head = (tl.program_id(2) % heads).to(tl.int64)
        a += batch * a_batch + head * a_head
        b += batch * b_batch + head * b_head
        out += batch * o_batch + head * o_head
    inside = cols < N
    a += row * stride_am
    acc = tl.zeros([BLOCK_N, BLOCK_K], ACC)
    for start in range(0, K, BLOCK_K):
        depth = start + tl.arange(0, BLOCK_K)
        x = tl.load(a + depth * stride_ak, mask=depth < K, other=0.0).to(ACC)
        y = tl.load(b + cols[:, None] * stride_bn + depth[None, :] * stride_bk,
                    mask=inside[:, None] & (depth < K)[None, :], other=0.0).to(ACC)
        acc += x[None, :] * y
    c = tl.sum(acc, 1)
    if bias is not None:
        c += tl.load(bias + cols * stride_bias, mask=inside).to(ACC)
    c = epilogue(c)
    if plus is not None:
        if BATCHED:
            plus += batch * p_batch + head * p_head
        c += tl.load(plus + row * stride_pm + cols * stride_pn, mask=inside).to(c.dtype)
    tl.store(out + row * stride_om + cols * stride_on, c.to(out.dtype.element_ty), mask=inside)
