"""Kernels for nodes of ONNX's own operators: standard.toml says which. Rows and columns lie side by side."""
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    """One row, of any length: the largest element and the sum of powers are kept while it is read."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * n
    y_ptr += row * n
    peak = tl.full([BLOCK], -float("inf"), tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf")).to(tl.float32)
        peak = tl.maximum(peak, x)
    top = tl.max(peak, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf")).to(tl.float32)
        total += tl.exp(x - top)
    scale = 1.0 / tl.sum(total, axis=0)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + cols, (tl.exp(x - top) * scale).to(y_ptr.dtype.element_ty), mask=cols < n)


@triton.jit
def layer_norm_kernel(x_ptr, skip_ptr, w_ptr, b_ptr, y_ptr, n, eps, SKIP: tl.constexpr, BLOCK: tl.constexpr):
    """Layer norm of one row of x, or of x + skip; the row fits into one block."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=inside, other=0.0).to(tl.float32)
    if SKIP:
        x += tl.load(skip_ptr + row * n + cols, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n
    d = tl.where(inside, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    w = tl.load(w_ptr + cols, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + cols, mask=inside, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * n + cols, (d * scale * w + b).to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def group_norm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, channels, area, groups, eps, BLOCK: tl.constexpr):
    """Group norm of one group of channels; weight and bias are by channel."""
    group = tl.program_id(0).to(tl.int64)
    per_group = channels // groups
    n = per_group * area
    x_ptr += group * n
    y_ptr += group * n
    first = (group % groups) * per_group
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
        d = tl.where(at < n, x - mean, 0.0)
        total += d * d
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < n
        channel = first + at // area
        w = tl.load(w_ptr + channel, mask=inside, other=0.0).to(tl.float32)
        b = tl.load(b_ptr + channel, mask=inside, other=0.0).to(tl.float32)
        x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(y_ptr + at, ((x - mean) * scale * w + b).to(y_ptr.dtype.element_ty), mask=inside)


@triton.jit
def gelu(x, TANH: tl.constexpr):
    if TANH:
        inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
        return x / (1.0 + tl.exp(-2.0 * inner))
    return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, TANH: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y_ptr + at, gelu(x, TANH).to(y_ptr.dtype.element_ty), mask=at < n)


@triton.jit
def linear_kernel(a_ptr, b_ptr, bias_ptr, c_ptr, m, n, k, ACTIVATION: tl.constexpr, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """C = activation(A @ B + bias); the bias is a row."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    a_at = a_ptr + rows[:, None].to(tl.int64) * k + depth[None, :]
    b_at = b_ptr + depth[:, None].to(tl.int64) * n + cols[None, :]
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for start in range(0, k, BLOCK_K):
        a = tl.load(a_at, mask=(rows[:, None] < m) & (depth[None, :] < k - start), other=0.0)
        b = tl.load(b_at, mask=(depth[:, None] < k - start) & (cols[None, :] < n), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_at += BLOCK_K
        b_at += BLOCK_K * n.to(tl.int64)
    acc += tl.load(bias_ptr + cols, mask=cols < n, other=0.0).to(tl.float32)[None, :]
    if ACTIVATION == "gelu":
        acc = gelu(acc, False)
    if ACTIVATION == "relu":
        acc = tl.maximum(acc, 0.0)
    inside = (rows[:, None] < m) & (cols[None, :] < n)
    c_at = c_ptr + rows[:, None].to(tl.int64) * n + cols[None, :]
    tl.store(c_at, acc.to(c_ptr.dtype.element_ty), mask=inside)
