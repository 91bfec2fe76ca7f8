"""Group norm over images whose channels lie together, with or without SiLU behind it: 480 variants.

A program normalizes one group of one image. `nereid aot group_norm.py -o group_norm.nrb --targets cuda:90,cpu`
compiles the table at the end.
"""
from itertools import product

import triton
import triton.language as tl


@triton.jit
def group_norm_kernel(x_ptr, y_ptr, gamma_ptr, beta_ptr, img_size, c, c_per_group, eps,
                      BLOCK_SIZE: tl.constexpr, HW_SIZE: tl.constexpr, SILU: tl.constexpr):
    start = tl.program_id(0) * img_size * c + tl.program_id(1) * c_per_group
    cols = tl.arange(0, BLOCK_SIZE)
    rows = tl.arange(0, HW_SIZE)
    in_group = cols < c_per_group
    total = tl.zeros([HW_SIZE, BLOCK_SIZE], dtype=tl.float32)
    squares = tl.zeros([HW_SIZE, BLOCK_SIZE], dtype=tl.float32)
    for at in range(0, img_size, HW_SIZE):
        mask = ((at + rows) < img_size)[:, None] & in_group[None, :]
        x = tl.load(x_ptr + start + (at + rows)[:, None] * c + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        total += x
        squares += x * x
    n = img_size * c_per_group
    mean = tl.sum(total) / n
    rstd = 1.0 / tl.sqrt(tl.sum(squares) / n - mean * mean + eps)
    first = tl.program_id(1) * c_per_group
    gamma = tl.load(gamma_ptr + first + cols, mask=in_group, other=0.0)
    beta = tl.load(beta_ptr + first + cols, mask=in_group, other=0.0)
    for at in range(0, img_size, HW_SIZE):
        mask = ((at + rows) < img_size)[:, None] & in_group[None, :]
        offsets = start + (at + rows)[:, None] * c + cols[None, :]
        x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
        y = (x - mean) * rstd * gamma[None, :] + beta[None, :]
        if SILU:
            y *= tl.sigmoid(y)
        tl.store(y_ptr + offsets, y.to(y_ptr.dtype.element_ty), mask=mask)


dtypes = ["fp32", "fp16"]
blocks = [16, 32, 64, 128]
hw_sizes = [8, 16, 32, 64, 128, 256]
warps = [1, 2, 4, 8, 16]


def get_function_table():
    table = []
    for silu, dtype, hw, w, block in product([True, False], dtypes, hw_sizes, warps, blocks):
        group = f"group_norm_{'silu' if silu else 'plain'}_{dtype}"
        table.append({
            "name": f"{group}_b{block}_hw{hw}_w{w}",
            "group": group,
            "func": group_norm_kernel,
            "sig": f"*{dtype}, *{dtype}, *fp32, *fp32, i32, i32, i32, fp32",
            "kwargs": {"num_warps": w, "constants": {"BLOCK_SIZE": block, "HW_SIZE": hw, "SILU": silu}},
        })
    return table
