"""NumPy's side of `make bench-cpu`.

Reads a number and the name of a line, runs the line that often, and prints the seconds by the clock and of
processor time. A name is a kernel, after which come a type and sizes: only "matmul fp32 1024" reads them.

What NumPy has no type for (bf16) is computed in float32 and rounded by hand, as its users do.
"""
import sys

import numpy as np
from cpu_clock import measure

rng = np.random.default_rng(1)


def normal(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def to_bf16(x):
    u = x.view(np.uint32)
    return ((u + 0x7FFF + (u >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(h):
    return (h.astype(np.uint32) << 16).view(np.float32)


def softmax():
    x = normal(4096, 1024)

    def run():
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)
    return run


def layer_norm():
    x, w, b = normal(4096, 1024), normal(1024), normal(1024)

    def run():
        d = x - x.mean(axis=1, keepdims=True)
        return d / np.sqrt((d * d).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w + b
    return run


def rms_norm():
    x, w = to_bf16(normal(4096, 4096)), to_bf16(normal(4096))

    def run():
        f = from_bf16(x)
        return to_bf16(f / np.sqrt((f * f).mean(axis=1, keepdims=True) + np.float32(1e-6)) * from_bf16(w))
    return run


def swiglu():
    g, u = to_bf16(normal(4096, 4096)), to_bf16(normal(4096, 4096))

    def run():
        f = from_bf16(g)
        return to_bf16(f / (1 + np.exp(-f)) * from_bf16(u))
    return run


def matmul(n):
    a, b, out = normal(n, n), normal(n, n), normal(n, n)
    return lambda: np.matmul(a, b, out=out)


lines = {"softmax": softmax, "layer_norm": layer_norm, "rms_norm": rms_norm, "swiglu": swiglu}
ready = {}
for line in sys.stdin:
    count, name = line.strip().split(" ", 1)
    if name not in ready:
        ready.clear()  # the arrays of one line at a time
        kernel, *rest = name.split()
        ready[name] = matmul(int(rest[1])) if kernel == "matmul" else lines[kernel]()
        ready[name]()
    print(*measure(ready[name], int(count)), flush=True)
