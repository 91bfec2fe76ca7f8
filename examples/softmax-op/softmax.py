"""Softmax over rows that fit into one block: two dtypes, five block sizes.

`nereid aot softmax.py -o softmax.nrb --targets cuda:90,cpu` compiles the table at the end.
"""
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_row_stride, out_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    inside = cols < n_cols
    x = tl.load(in_ptr + row * in_row_stride + cols, mask=inside, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    y = e / tl.sum(e, axis=0)
    tl.store(out_ptr + row * out_row_stride + cols, y.to(out_ptr.dtype.element_ty), mask=inside)


dtypes = ["fp32", "fp16"]
block_sizes = [1024, 2048, 4096, 8192, 16384]


def num_warps(block_size):
    return 4 if block_size < 2048 else 8 if block_size < 4096 else 16


def get_function_table():
    return [
        {
            "name": f"softmax_{dtype}_{block_size}",
            "group": f"softmax_{dtype}",
            "func": softmax_kernel,
            "sig": f"*{dtype}, *{dtype}, i32, i32, i32",
            "kwargs": {"num_warps": num_warps(block_size), "constants": {"BLOCK_SIZE": block_size}},
            "when": "n_cols <= BLOCK_SIZE",  # this and what follows is for the C form
            "grid": "rows",
            "sizes": "rows",
        }
        for dtype in dtypes
        for block_size in block_sizes
    ]
