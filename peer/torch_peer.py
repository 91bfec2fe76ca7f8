"""PyTorch's side of `nereid bench --device cpu --peers`.

Reads a number and the name of a line, runs the line that often, and prints the seconds by the clock and of
processor time. The first argument is the number of threads. A name is a kernel and its sizes:
"softmax fp32 4096 1024", "matmul bf16 1024", "attention bf16 8 1024 64 causal" (heads, length, size of a
head).
"""
import sys

import torch
import torch.nn.functional as F
from cpu_clock import measure

torch.set_num_threads(int(sys.argv[1]))
torch.set_grad_enabled(False)
torch.manual_seed(1)
types = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


def matmul(dtype, n):
    a, b, out = (torch.randn(n, n).to(dtype) for _ in range(3))
    return lambda: torch.mm(a, b, out=out)


def attention(dtype, heads, length, size, kind):
    q, k, v = (torch.randn(1, heads, length, size).to(dtype) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=kind == "causal")


def softmax(dtype, rows, cols):
    x, out = (torch.randn(rows, cols).to(dtype) for _ in range(2))
    return lambda: torch.softmax(x, 1, out=out)


def layer_norm(dtype, rows, cols):
    x, w, b = torch.randn(rows, cols).to(dtype), torch.randn(cols).to(dtype), torch.randn(cols).to(dtype)
    return lambda: F.layer_norm(x, (cols,), w, b)


def rms_norm(dtype, rows, cols):
    x, w = torch.randn(rows, cols).to(dtype), torch.randn(cols).to(dtype)
    return lambda: F.rms_norm(x, (cols,), w, 1e-6)


def swiglu(dtype, rows, cols):
    g, u = (torch.randn(rows, cols).to(dtype) for _ in range(2))
    return lambda: F.silu(g) * u


def vector_add(dtype, n):
    x, y, out = (torch.randn(n).to(dtype) for _ in range(3))
    return lambda: torch.add(x, y, out=out)


kernels = {f.__name__: f for f in (matmul, attention, softmax, layer_norm, rms_norm, swiglu, vector_add)}
ready = {}
for line in sys.stdin:
    count, name = line.strip().split(" ", 1)
    if name not in ready:
        ready.clear()  # the tensors of one line at a time
        kernel, dtype, *rest = name.split()
        ready[name] = kernels[kernel](types[dtype], *(int(x) if x.isdigit() else x for x in rest))
        ready[name]()
    print(*measure(ready[name], int(count)), flush=True)
