"""PyTorch's side of the operators of package ops: eager and torch.compile, on a GPU or on the CPU.

  ops.py TEST [--device cuda] [--threads N] [--only REGEXP] [--seconds N]
      runs TEST, a test binary of package ops (go test -c ./ops), which prints the time of each of its
          lines, measures
      PyTorch's form of the same lines, and prints tables: microseconds, and our speed relative to eager
          and to
      torch.compile, which is tried while N seconds have not passed, lines of several operations first
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

torch.set_grad_enabled(False)
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32}


class Room:
    """Makes operands on the device."""

    def __init__(self, device):
        self.device = device
        torch.manual_seed(1)

    def normal(self, dtype, *shape):
        return torch.randn(*shape, device=self.device).to(TYPES[dtype])

    def below(self, n, *shape):
        return torch.randint(0, n, shape, device=self.device)



def rms(x, w):
    return F.rms_norm(x, (x.shape[-1],), w, 1e-5)


def layer(x, w, b):
    return F.layer_norm(x, (x.shape[-1],), w, b, 1e-5)


def add_rms(x, y, w):
    z = x + y
    return F.rms_norm(z, (z.shape[-1],), w, 1e-5), z


def rotate(x, c, s):
    a, b = x.chunk(2, -1)
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def swiglu(x):
    g, u = x.chunk(2, 1)
    return F.silu(g) * u


def sizes(text):
    scale = {"M": 1 << 20}
    return [int(p[:-1]) * scale[p[-1]] if p[-1] in scale else int(p) for p in text.split("x")]


ONE = {
    "add": lambda x: x + x, "mul number": lambda x: x * 0.5, "gelu": F.gelu, "exp": torch.exp,
    "tanh": torch.tanh, "sqrt": torch.sqrt, "greater": lambda x: x > 0,
    "transpose": lambda x: x.t().contiguous(), "permute": lambda x: x.permute(0, 2, 1, 3).contiguous(),
    "add row": lambda x: x + x[0], "add column": lambda x: x + x[:, :1],
    "concat": lambda x: torch.cat((x, x), 1), "pad": lambda x: F.pad(x, (1, 1, 1, 1)),
    "sum": lambda x: x.sum(), "sum rows": lambda x: x.sum(1), "sum columns": lambda x: x.sum(0),
    "mean columns": lambda x: x.mean(0), "max rows": lambda x: x.amax(1),
    "argmax rows": lambda x: x.argmax(1), "variance rows": lambda x: x.var(1, correction=0),
    "logsumexp rows": lambda x: x.logsumexp(1), "cumsum": lambda x: x.cumsum(1),
    "softmax": lambda x: x.softmax(-1), "log_softmax": lambda x: x.log_softmax(-1),
    "rms_norm": lambda x: rms(x, x[0]), "layer_norm": lambda x: layer(x, x[0], x[1]),
}


def product(name, words, r):
    kind, size = words[-2], words[-1]
    if "batched" in name:
        b, m, n, k = sizes(size)
        return torch.matmul, (r.normal(kind, b, m, k), r.normal(kind, b, n, k).transpose(1, 2))
    n = sizes(size)
    m, n, k = n * 3 if len(n) == 1 else n
    a, b = r.normal(kind, m, k), r.normal(kind, n, k).t()
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    return (lambda a, b: F.gelu(a @ b)) if "gelu" in name else torch.matmul, (a, b)


def attention(name, words, r):
    kind, (batch, heads, length, size) = words[-2], words[-1].split("x")
    heads, _, kv = heads.partition("/")
    batch, heads, kv, length, size = int(batch), int(heads), int(kv or heads), int(length), int(size)
    queries = 1 if words[0] == "decode" else length
    q = r.normal(kind, batch, heads, queries, size)
    k, v = (r.normal(kind, batch, kv, length, size) for _ in range(2))
    causal = "causal" in name
    return (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal,
                                                           enable_gqa=kv != heads)), (q, k, v)


def convolution(name, words, r):
    kind, size, filters = words[-4], sizes(words[-3]), sizes(words[-1])
    groups = size[1] if "depthwise" in name else 1
    x, w = r.normal(kind, *size), r.normal(kind, filters[0], size[1] // groups, *filters[1:])
    stride, conv = 2 if "stride" in name else 1, F.conv1d if len(size) == 3 else F.conv2d
    padding = filters[-1] // 2
    torch.backends.cudnn.allow_tf32 = kind == "tf32"
    return (lambda x, w: conv(x, w, None, stride, padding, 1, groups)), (x, w)


POOLS = {
    "max_pool 3 stride 2": lambda x: F.max_pool2d(x, 3, 2, 1), "avg_pool 2": lambda x: F.avg_pool2d(x, 2),
    "avg_pool all": lambda x: F.adaptive_avg_pool2d(x, 1),
}


def line(name, r):
    """The function of a line and its operands; of a backward line those of the forward pass."""
    words = name.split()
    if words[0] == "conv":
        return convolution(name, words, r)
    if " ".join(words[:-2]) in POOLS:
        return POOLS[" ".join(words[:-2])], (r.normal(words[-2], *sizes(words[-1])),)
    if words[0] in ("rms_norm", "layer_norm") and "backward" in name:
        rows, cols = sizes(words[-1])
        x, w, b = r.normal(words[-2], rows, cols), r.normal(words[-2], cols), r.normal(words[-2], cols)
        return (rms, (x, w)) if words[0] == "rms_norm" else (layer, (x, w, b))
    if name.startswith("concat of four"):
        return (lambda *x: torch.cat(x, 1)), tuple(r.normal(words[-2], *sizes(words[-1])) for _ in range(4))
    if words[0] == "matmul":
        return product(name, words, r)
    if words[0] in ("attention", "decode"):
        return attention(name, words, r)
    if words[0] == "cast":
        return (lambda x: x.to(torch.bfloat16)), (r.normal("fp32", *sizes(words[-1])),)
    if words[0] == "swiglu":
        rows, cols = sizes(words[-1])
        return swiglu, (r.normal("bf16", rows, 2 * cols),)
    if words[0] == "add_rms_norm":
        rows, cols = sizes(words[-1])
        return add_rms, (r.normal("bf16", rows, cols), r.normal("bf16", rows, cols), r.normal("bf16", cols))
    if words[0] == "rope":
        b, h, t, d = sizes(words[-1])
        return rotate, (r.normal("bf16", b, h, t, d), r.normal("bf16", t, d // 2),
                        r.normal("bf16", t, d // 2))
    if words[0] == "embedding":
        return (lambda t, i: F.embedding(i, t)), (r.normal("bf16", 32000, 4096), r.below(32000, 32768))
    if words[0] == "gather":
        return (lambda x, i: x.gather(1, i)), (r.normal("fp32", 4096, 4096), r.below(4096, 4096, 4096))
    if words[0] == "cross_entropy":
        rows, cols = sizes(words[-1])
        return (lambda x, y: F.cross_entropy(x, y, reduction="none")), (r.normal("bf16", rows, cols),
                                                                        r.below(cols, rows))
    if words[0] == "topk":
        return (lambda x: x.topk(64)), (r.normal("fp32", 64, 32000),)
    return ONE[" ".join(words[:-2])], (r.normal(words[-2], *sizes(words[-1])),)


def clock(device, call):
    """The median time of a call in microseconds, as triton.testing.do_bench measures it."""
    if device == "cuda":
        from triton.testing import do_bench
        return do_bench(call, warmup=10, rep=50, return_mode="median") * 1000
    for _ in range(3):
        call()
    times, end = [], time.perf_counter() + 0.3
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e6


def ours(args):
    """Times of our lines, by name."""
    env = dict(os.environ, NEREID_TEST_OPS={"cuda": "cuda:0"}.get(args.device, args.device),
               NEREID_TEST_OPS_ONLY=args.only)
    out = subprocess.run([args.test, "-test.run", "TestSpeed", "-test.timeout", "0"], env=env,
                         stdout=subprocess.PIPE, text=True)
    return {row["name"]: row for row in map(json.loads,
                                            (l for l in out.stdout.splitlines() if l.startswith("{")))}


def prepared(name, fn, operands):
    """The call that is measured: fn, or its backward pass alone."""
    if "backward" not in name:
        return lambda: fn(*operands)
    with torch.enable_grad():
        inputs = [x.requires_grad_() for x in operands if x.is_floating_point()]
        out = fn(*operands)
    grad = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, inputs, grad, retain_graph=True)


def eager(device, name):
    fn, operands = line(name, Room(device))
    return clock(device, prepared(name, fn, operands))


def compiled(device, name):
    fn, operands = line(name, Room(device))
    try:
        torch._dynamo.reset()
        call = prepared(name, torch.compile(fn), operands)
        call()
        return clock(device, call)
    except Exception as e:  # a compiler is missing, say
        print(f"torch.compile of {name}: {str(e).splitlines()[0][:200]}", file=sys.stderr)
        return math.inf


# Lines that torch.compile can fuse: they are compiled first.
FUSED = ("add_rms_norm", "rope", "swiglu", "rms_norm", "layer_norm", "cross_entropy", "matmul gelu",
         "logsumexp", "variance", "softmax", "log_softmax", "pad", "concat", "sum", "mean", "transpose",
         "permute", "cumsum")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=120)
    args = parser.parse_args()
    if args.threads:
        torch.set_num_threads(args.threads)
    end = time.perf_counter() + args.seconds
    times, ratios, fast = {}, {}, {}
    print("| call | Nereid | eager | of eager |\n|---|---|---|---|")
    for name, row in ours(args).items():
        if "error" in row:
            print(f"| {name} | failed: {row['error'][:120]} | | |", flush=True)
            continue
        times[name] = row["us"]
        theirs = eager(args.device, name)
        ratios[name] = theirs / row["us"]
        print(f"| {name} | {row['us']:.1f} | {theirs:.1f} | {ratios[name]:.3f} |", flush=True)
    summary("eager", ratios)
    print("\n| call | Nereid | compiled | of compiled |\n|---|---|---|---|")
    rank = lambda name: next((i for i, p in enumerate(FUSED) if name.startswith(p)), len(FUSED))
    for name in sorted(times, key=rank):
        if time.perf_counter() < end:
            theirs = compiled(args.device, name)
            fast[name] = theirs / times[name]
            print(f"| {name} | {times[name]:.1f} | {theirs:.1f} | {fast[name]:.3f} |", flush=True)
    summary("compiled", fast)
    summary("the better of both", {name: min(r, fast.get(name, math.inf)) for name, r in ratios.items()})


def summary(what, ratios):
    list_ = list(ratios.values())
    mean = math.exp(sum(map(math.log, list_)) / max(len(list_), 1))
    print(f"\nof {what}: {len(list_)} lines, mean {mean:.3f}, least {min(list_, default=0):.3f}, "
          f"{sum(x >= 1 for x in list_)} at 1.0 or more, {sum(x < 0.85 for x in list_)} under 0.85",
          flush=True)


if __name__ == "__main__":
    main()
