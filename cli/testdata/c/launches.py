"""Kernels of 5 and of 17 arguments, whose launches are measured."""
import triton
import triton.language as tl


@triton.jit
def five(x_ptr, y_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y * scale, mask=at < n)


@triton.jit
def seventeen(x_ptr, y_ptr, out_ptr, n, scale, a, b, c, d, e, f, g, h, i, j, k, m, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    more = a + b + c + d + e + f + g + h + i + j + k + m
    tl.store(out_ptr + at, x + y * scale + more, mask=at < n)


def row(name, kernel, sig):
    return [{"name": f"{name}_{block}", "group": name, "func": kernel, "sig": sig,
             "kwargs": {"num_warps": 1, "constants": {"BLOCK": block}},
             "when": "n <= BLOCK", "grid": "cdiv(n, BLOCK)"} for block in [128, 256]]


def get_function_table():
    five_types = "*fp32:16, *fp32:16, *fp32:16, i32, fp32"
    return row("five", five, five_types) + row("seventeen", seventeen, five_types + 12 * ", i32")
