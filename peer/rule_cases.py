"""Launches the kernels in kernels/ at sizes that keep an H200 busy, for `dry.py --thin` to record and `nereid
rules measure` to run:

  dry.py --thin --no-triton --target cuda:90 --max-bytes 2000000000 --out CASES --root . peer/rule_cases.py
"""
import importlib.util
import os

import torch
import triton

KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernels")
FP16, BF16, FP32 = torch.float16, torch.bfloat16, torch.float32


def load(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(KERNELS, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def empty(*shape, dtype=FP16):
    return torch.empty(shape, dtype=dtype, device="cuda")


def matmul():
    k = load("matmul").matmul_kernel.fn
    for dtype in (FP16, BF16):
        for s, m, n, kk, stages, warps in ((8192, 128, 256, 64, 3, 8), (4096, 128, 256, 64, 4, 8),
                                           (4096, 256, 128, 64, 3, 8), (2048, 128, 128, 64, 4, 4),
                                           (2048, 128, 128, 32, 4, 4), (1024, 64, 128, 32, 4, 4),
                                           (512, 64, 64, 64, 4, 4), (512, 64, 32, 32, 5, 2)):
            a, b, c = (empty(s, s, dtype=dtype) for _ in range(3))
            k[(triton.cdiv(s, m) * triton.cdiv(s, n),)](a, b, c, s, s, s, s, 1, s, 1, s, 1, BLOCK_M=m,
                                                        BLOCK_N=n, BLOCK_K=kk, GROUP_M=8, num_warps=warps,
                                                        num_stages=stages)


def attention():
    k = load("attention").attention_kernel
    tiles = {64: ((1024, 128, 64, 4, 3), (4096, 128, 128, 8, 3), (16384, 64, 64, 4, 3),
                  (4096, 128, 64, 8, 4)),
             128: ((1024, 128, 64, 8, 3), (4096, 128, 128, 8, 2), (16384, 64, 64, 4, 3),
                   (4096, 128, 64, 4, 3))}
    for d, list_ in tiles.items():
        for causal in (False, True):
            for seq, bm, bn, warps, stages in list_:
                heads = max(1, 16384 // seq) * (32 if d == 64 else 16)
                q, kk, v, out = (empty(heads, seq, d) for _ in range(4))
                strides = [s for _ in range(4) for s in (seq * d, d)]
                k[(triton.cdiv(seq, bm), heads)](q, kk, v, out, empty(heads, seq, dtype=FP32), d**-0.5,
                                                 *strides, seq, HEAD_DIM=d, BLOCK_M=bm, BLOCK_N=bn,
                                                 CAUSAL=causal, num_warps=warps, num_stages=stages)


def rows():
    softmax, norm, llm = load("softmax").softmax_kernel, load("layer_norm").layer_norm_kernel, load("llm")
    for dtype in (FP16, FP32):
        for n, warps in ((256, 4), (1024, 4), (2048, 8), (8192, 8), (16384, 16)):
            softmax[(4096,)](empty(4096, n, dtype=dtype), empty(4096, n, dtype=dtype), n, n, n, BLOCK_SIZE=n,
                             num_warps=warps)
    for n, warps in ((1024, 4), (4096, 8), (8192, 8), (16384, 8)):
        norm[(4096,)](empty(4096, n), empty(4096, n), empty(n), empty(n), empty(4096, dtype=FP32),
                      empty(4096, dtype=FP32), n, n, 1e-5, BLOCK_SIZE=n, num_warps=warps)
        llm.rms_norm_kernel[(4096,)](empty(4096, n, dtype=BF16), empty(n, dtype=BF16),
                                     empty(4096, n, dtype=BF16), n, n, 1e-5, BLOCK_SIZE=n, num_warps=warps)
        labels = torch.zeros(4096, dtype=torch.int64, device="cuda")
        llm.cross_entropy_kernel[(4096,)](empty(4096, n, dtype=BF16), labels, empty(4096, dtype=FP32), n, n,
                                          BLOCK_SIZE=min(n, 4096), num_warps=warps)


def elements():
    add, llm, reduce = load("vector_add").add_kernel, load("llm"), load("reduce")
    for n, block in ((1 << 16, 128), (1 << 20, 256), (1 << 24, 1024), (1 << 26, 2048)):
        x, y, z = (empty(n, dtype=FP32) for _ in range(3))
        add[(triton.cdiv(n, block),)](x, y, z, n, BLOCK_SIZE=block)
        llm.swiglu_kernel[(triton.cdiv(n, block),)](x.to(BF16), y.to(BF16), z.to(BF16), n, BLOCK_SIZE=block)
    for m, n in ((4096, 4096), (65536, 512), (512, 65536)):
        reduce.row_sum_kernel[(triton.cdiv(m, 4),)](empty(m, n, dtype=FP32), empty(m, dtype=FP32), m, n,
                                                    STEP=512, TILE_M=4, TILE_N=512)


for f in (matmul, attention, rows, elements):
    f()
