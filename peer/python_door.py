"""The Python door on a GPU, beside Triton: results, times of kernels, host times of launches.

    python peer/python_door.py [--tutorials DIR] [--rep MS]

It needs PyTorch, Triton 3.6 and the wheel, installed (make wheel; Triton finds back ends by entry points), and libLLVM 22 (NEREID_LLVM names it; peer/pack-llvm packs one). Each line has Triton's
figure first, then Nereid's. With --tutorials the checks of Triton's tutorials in a folder run through the plug-in.
"""

from __future__ import annotations

import argparse
import os
import runpy
import statistics
import sys
import time

import torch
import triton
import triton.language as tl

import nereid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels"))
import matmul  # noqa: E402
import softmax  # noqa: E402
import vector_add  # noqa: E402


@triton.jit
def four(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(c + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < n), mask=at < n)


@triton.jit
def twelve(a, b, c, n, i0, i1, i2, i3, i4, i5, i6, i7, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    s = i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7
    tl.store(c + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < n) + s, mask=at < n)


def drivers():
    """Yields the two drivers in turn, each active while it is tried."""
    nereid.deactivate()
    yield "triton"
    nereid.activate("cuda")
    yield "nereid"
    nereid.deactivate()


def host_us(f, n=2000, rounds=9):
    """Returns the host's microseconds of a launch: the median of rounds, each a queue that does not fill."""
    f()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        left, spent = n, 0.0
        while left > 0:
            start = time.perf_counter()
            for _ in range(200):
                f()
            spent += time.perf_counter() - start
            torch.cuda.synchronize()
            left -= 200
        times.append(spent / n * 1e6)
    return statistics.median(times)


def launches():
    x, y, z = (torch.rand(1024, device="cuda") for _ in range(3))
    calls = {
        "3 tensors + 1 int": lambda: four[(1,)](x, y, z, 1000, BLOCK=1024),
        "3 tensors + 9 ints": lambda: twelve[(1,)](x, y, z, 1000, 2, 3, 4, 5, 6, 7, 8, 9, BLOCK=1024),
    }
    for name, f in calls.items():
        print(f"host time of a launch, {name}:", *(f"{d} {host_us(f):.2f} us" for d in drivers()))


def add(x, y):
    out, n = torch.empty_like(x), x.numel()
    vector_add.add_kernel[lambda m: (triton.cdiv(n, m["BLOCK_SIZE"]),)](x, y, out, n, BLOCK_SIZE=1024)
    return out


def rows(x):
    out = torch.empty_like(x)
    softmax.softmax_kernel[(x.shape[0],)](out, x, x.stride(0), out.stride(0), x.shape[1],
                                          BLOCK_SIZE=triton.next_power_of_2(x.shape[1]), num_warps=8)
    return out


def product(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)  # noqa: E731
    matmul.matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())
    return c


def kernels(rep):
    torch.manual_seed(0)
    x, y = torch.randn(1 << 24, device="cuda"), torch.randn(1 << 24, device="cuda")
    s = torch.randn(4096, 4096, device="cuda")
    a, b = (torch.randn(2048, 2048, device="cuda", dtype=torch.float16) for _ in range(2))
    cases = {
        "add, 16 Mi": (lambda: add(x, y), x + y, 0),
        "softmax, 4096 x 4096": (lambda: rows(s), torch.softmax(s, 1), 1e-6),
        "matmul, 2048, fp16": (lambda: product(a, b), a @ b, 0.2),
    }
    for name, (f, want, tolerance) in cases.items():
        out = []
        for d in drivers():
            wrong = (f() - want).abs().max().item()
            verdict = "" if wrong <= tolerance else f" WRONG BY {wrong}"
            ms = triton.testing.do_bench(f, warmup=50, rep=rep, return_mode="median")
            out.append(f"{d} {ms * 1e3:.1f} us{verdict}")
        print(f"{name}:", *out)


def streams_and_graphs():
    nereid.activate("cuda")
    x, out = torch.zeros(1 << 20, device="cuda"), torch.zeros(1 << 20, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        got = add(x + 1, x + 2)
    side.synchronize()
    print("another stream:", "right" if bool((got == 3).all()) else "WRONG")
    grid = (triton.cdiv(x.numel(), 1024),)
    vector_add.add_kernel[grid](x, x, out, x.numel(), BLOCK_SIZE=1024)
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        vector_add.add_kernel[grid](x, x, out, x.numel(), BLOCK_SIZE=1024)
    x.fill_(4)
    g.replay()
    torch.cuda.synchronize()
    print("a graph:", "right" if bool((out == 8).all()) else "WRONG")
    try:
        vector_add.add_kernel[grid](x.cpu(), x, out, 1024, BLOCK_SIZE=1024)
        torch.cuda.synchronize()
        print("a tensor of the host: taken")
    except Exception as e:
        print("a tensor of the host:", type(e).__name__, e)
    nereid.deactivate()


def tutorials(folder):
    triton.testing.Mark.run = lambda self, *args, **kwargs: None
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py"):
            continue
        nereid.activate("cuda")
        start = time.time()
        try:
            runpy.run_path(os.path.join(folder, name), run_name="__main__")
            print(f"{name}: right, {time.time() - start:.1f} s")
        except BaseException as e:
            print(f"{name}: {type(e).__name__}: {str(e)[:300]}")
    nereid.deactivate()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tutorials", default="")
    p.add_argument("--rep", type=int, default=300)
    args = p.parse_args()
    print(nereid.version(), nereid.devices())
    for step in (launches, lambda: kernels(args.rep), streams_and_graphs):
        try:
            step()
        except Exception as e:
            print(f"FAILED: {type(e).__name__}: {e}")
            nereid.deactivate()
    if args.tutorials:
        tutorials(args.tutorials)


if __name__ == "__main__":
    main()
