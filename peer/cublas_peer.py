"""Times cuBLAS, through PyTorch, on square products: one JSON line for each type and size, as `nereid bench --only matmul` has them.

Both clear the L2 cache before each run. fp8 is e4m3 with scales of one and fast accumulation (cuBLASLt).
"""
import json

import torch
import triton


def row(dtype, n, f):
    ms = triton.testing.do_bench(f, return_mode="median")
    print(json.dumps({"kernel": "matmul", "dtype": dtype, "shape": [n, n, n], "unit": "TFLOP/s", "cublas": 2 * n**3 / ms / 1e9}), flush=True)


def main():
    one = torch.ones((), device="cuda")
    for n in (512, 1024, 2048, 4096, 8192):
        for name, dtype in (("fp16", torch.float16), ("bf16", torch.bfloat16)):
            a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
            row(name, n, lambda: a @ b)
        a, b = (torch.randn(n, n, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
        row("fp8", n, lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=torch.float16, use_fast_accum=True))


if __name__ == "__main__":
    main()
