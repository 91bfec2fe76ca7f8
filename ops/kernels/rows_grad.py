"""Backward passes of what has a kernel for rows: cross entropy and norms."""
import functions
import triton
import triton.language as tl


@triton.jit
def cross_entropy_grad_kernel(logits, labels, grad, out, cols, stride, BLOCK: tl.constexpr,
                              WHOLE: tl.constexpr):
    """out = (softmax(logits) - 1 at the label) * grad; zeros for a label outside of the row. A program for
    each row; if WHOLE is set, a block has all of it, which is read once."""
    row = tl.program_id(0).to(tl.int64)
    logits += row * stride
    out += row * cols
    label = tl.load(labels + row).to(tl.int64)
    valid = (label >= 0) & (label < cols)
    g = tl.where(valid, tl.load(grad + row).to(tl.float32), 0.0)
    if WHOLE:
        col = tl.arange(0, BLOCK)
        x = tl.load(logits + col, mask=col < cols, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, 0))
        p = e * (1.0 / tl.sum(e, 0)) - tl.where(col == label, 1.0, 0.0)
        tl.store(out + col, tl.where(valid, p * g, 0.0).to(out.dtype.element_ty), mask=col < cols)
    else:
        lse = functions.log_sum_exp(logits, cols, BLOCK)
        for start in range(0, cols, BLOCK):
            col = start + tl.arange(0, BLOCK)
            x = tl.load(logits + col, mask=col < cols, other=-float("inf")).to(tl.float32)
            p = tl.exp(x - lse) - tl.where(col == label, 1.0, 0.0)
            tl.store(out + col, tl.where(valid, p * g, 0.0).to(out.dtype.element_ty), mask=col < cols)


@triton.jit
def cross_entropy_grad_lse_kernel(logits, labels, lse, grad, out, cols, stride, blocks, BLOCK: tl.constexpr):
    """cross_entropy_grad_kernel where the logarithms of the sums of rows are known, lse: a program for each
    block of each row."""
    row = (tl.program_id(0) // blocks).to(tl.int64)
    col = tl.program_id(0) % blocks * BLOCK + tl.arange(0, BLOCK)
    label = tl.load(labels + row).to(tl.int64)
    valid = (label >= 0) & (label < cols)
    g = tl.where(valid, tl.load(grad + row).to(tl.float32), 0.0)
    x = tl.load(logits + row * stride + col, mask=col < cols, other=-float("inf")).to(tl.float32)
    p = tl.exp(x - tl.load(lse + row).to(tl.float32)) - tl.where(col == label, 1.0, 0.0)
    tl.store(out + row * cols + col, tl.where(valid, p * g, 0.0).to(out.dtype.element_ty), mask=col < cols)


@triton.jit
def norm_grad_kernel(x, weight, grad, dx, dweights, dbiases, rows, cols, stride_x, stride_w, stride_g,
                     stride_d, eps, CENTER: tl.constexpr, BLOCK: tl.constexpr):
    """Gradients of rows of a norm: of layer norm if CENTER is set, else of RMS norm. A program computes every
    num_programs-th row, and leaves its sums for the gradients of weight and bias."""
    program = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < cols
    w = tl.load(weight + col * stride_w, mask=inside, other=0.0).to(tl.float32)
    sums = tl.zeros([BLOCK], tl.float32)
    sums_bias = tl.zeros([BLOCK], tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        at = row.to(tl.int64)
        v = tl.load(x + at * stride_x + col, mask=inside, other=0.0).to(tl.float32)
        g = tl.load(grad + at * stride_g + col, mask=inside, other=0.0).to(tl.float32)
        if CENTER:
            v = tl.where(inside, v - tl.sum(v, 0) / cols, 0.0)
        r = tl.rsqrt(tl.sum(v * v, 0) / cols + eps)
        n = v * r
        gw = g * w
        d = gw - n * (tl.sum(gw * n, 0) / cols)
        if CENTER:
            d -= tl.sum(gw, 0) / cols
            sums_bias += g
        tl.store(dx + at * stride_d + col, (d * r).to(dx.dtype.element_ty), mask=inside)
        sums += g * n
    tl.store(dweights + program * cols + col, sums, mask=inside)
    if CENTER:
        tl.store(dbiases + program * cols + col, sums_bias, mask=inside)


@triton.jit
def column_sums_kernel(parts, out, rows, cols, R: tl.constexpr, C: tl.constexpr):
    """The sums of the columns of parts."""
    col = tl.program_id(0) * C + tl.arange(0, C)
    acc = tl.zeros([R, C], tl.float32)
    for start in range(0, rows, R):
        row = start + tl.arange(0, R)
        acc += tl.load(parts + row[:, None] * cols + col[None, :],
                       mask=(row < rows)[:, None] & (col < cols)[None, :], other=0.0)
    tl.store(out + col, tl.sum(acc, 0).to(out.dtype.element_ty), mask=col < cols)
