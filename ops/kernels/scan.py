"""What all elements of a row up to each one are together: products and extremes."""
import functions
import triton
import triton.language as tl


@triton.jit
def combine(x, y, HOW: tl.constexpr):
    if HOW == "mul":
        return functions.mul(x, y)
    elif HOW == "maximum":
        return functions.maximum(x, y)
    else:
        return functions.minimum(x, y)


@triton.jit
def scan_kernel(x, out, rows, cols, stride_xr, stride_xc, stride_or, stride_oc, R: tl.constexpr,
                C: tl.constexpr, ACC: tl.constexpr, HOW: tl.constexpr):
    """out[r, c] is x[r, 0] to x[r, c] multiplied, or the largest or smallest of them, as HOW says."""
    row = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    carry = tl.zeros([R, 1], ACC)
    for start in range(0, cols, C):
        # Only the last block has columns outside, which nothing behind them depends on.
        col = start + tl.arange(0, C)
        inside = (row < rows)[:, None] & (col < cols)[None, :]
        v = tl.load(x + (row * stride_xr)[:, None] + (col * stride_xc)[None, :], mask=inside, other=0).to(ACC)
        if HOW == "mul":
            s = tl.associative_scan(v, 1, functions.mul)
            last = tl.reduce(v, 1, functions.mul, keep_dims=True)
        elif HOW == "maximum":
            s = tl.associative_scan(v, 1, functions.maximum)
            last = tl.reduce(v, 1, functions.maximum, keep_dims=True)
        else:
            s = tl.associative_scan(v, 1, functions.minimum)
            last = tl.reduce(v, 1, functions.minimum, keep_dims=True)
        s = tl.where(start > 0, combine(carry, s, HOW), s)
        carry = tl.where(start > 0, combine(carry, last, HOW), last)
        tl.store(out + (row * stride_or)[:, None] + (col * stride_oc)[None, :], s.to(out.dtype.element_ty),
                 mask=inside)
