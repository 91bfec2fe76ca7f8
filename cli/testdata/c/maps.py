"""A kernel that takes tensor descriptors, for a program of C."""
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, y, scale, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = [tl.program_id(0) * ROWS, tl.program_id(1) * COLS]
    y.store(at, x.load(at) * scale)


def get_function_table():
    return [{"name": f"scale_{rows}_{cols}", "group": "scale", "func": scale_kernel,
             "sig": f"tensordesc<fp32[{rows},{cols}]>, tensordesc<fp32[{rows},{cols}]>, fp32",
             "kwargs": {"constants": {"ROWS": rows, "COLS": cols}}}
            for rows, cols in [(16, 32), (64, 64)]]
