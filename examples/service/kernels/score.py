"""The kernels of the service: rows are normalized, then turned into probabilities."""
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, y_ptr, x_stride, y_stride, n_cols, eps: tl.float32, BLOCK: tl.constexpr = 256):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    x = tl.load(x_ptr + row * x_stride + cols, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + cols, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(y_ptr + row * y_stride + cols, (x * scale * weight).to(y_ptr.dtype.element_ty), mask=inside)


@triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=4) for block in (64, 128, 256)], key=["n_cols"])
@triton.jit
def softmax_kernel(x_ptr, out_ptr, x_stride, out_stride, n_cols, temperature: tl.float32, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * x_stride
    out_ptr += row * out_stride
    top = -float("inf")
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32) / temperature
        higher = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), axis=0)
        top = higher
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=0.0).to(tl.float32) / temperature
        tl.store(out_ptr + cols, tl.exp(x - top) / total, mask=cols < n_cols)
