"""Compares results of package ops with PyTorch's on the CPU.

  ops_check.py DIR
      DIR has calls.json, a list of calls ({op, in, out, attrs}), and tensors.safetensors, the operands
          and results by
      name; exit 1 if a result differs by more than its type's tolerance. `go test ./ops -run TestTorch`
          writes them
"""
import collections
import json
import math
import os
import struct
import sys

import torch
import torch.nn.functional as F

TYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64,
         "I64": torch.int64, "I32": torch.int32, "BOOL": torch.bool, "I8": torch.int8, "I16": torch.int16,
         "U8": torch.uint8}
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
SPECIAL = torch.special


def read(path):
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, x in json.loads(data[8:8 + n]).items():
        if name != "__metadata__":
            lo, hi = x["data_offsets"]
            part = bytearray(data[8 + n + lo:8 + n + hi])
            out[name] = torch.frombuffer(part, dtype=TYPES[x["dtype"]]).reshape(x["shape"]) if part else torch.empty(
                x["shape"], dtype=TYPES[x["dtype"]])
    return out


def rounded_away(x):
    return torch.copysign(torch.floor(x.abs() + 0.5), x)


def pad(x, a):
    (b0, b1), (e0, e1) = a["before"], a["after"]
    return F.pad(x, (b1, e1, b0, e0), value=1.5)


def attention(q, k, v, a):
    mask = None
    if a["causal"]:
        mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


def convolution(x, w, b, a):
    f = F.conv1d if x.dim() == 3 else F.conv2d
    y = f(x, w, b, a["stride"], a["padding"], a["dilation"], a["groups"])
    return F.relu(y) if a["relu"] else y


def pool(x, a):
    one = x.dim() == 3
    if a["max"]:
        return (F.max_pool1d if one else F.max_pool2d)(x, a["window"], a["stride"], a["padding"])
    return (F.avg_pool1d if one else F.avg_pool2d)(x, a["window"], a["stride"], a["padding"],
                                                   count_include_pad=not a["inside"])


def attention_grad(q, k, v, g, a):
    place = torch.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2]
    key = torch.arange(k.shape[2])[None, :]
    mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool)
    if a["causal"]:
        mask = mask & (place >= key)
    if a["window"]:
        mask = mask & (place - a["window"] < key)
    inputs = [x.clone().requires_grad_() for x in (q, k, v)]
    y = F.scaled_dot_product_attention(*inputs, attn_mask=mask, enable_gqa=True)
    return (y.detach(), *torch.autograd.grad(y, inputs, g))


def grads(f, inputs, g):
    inputs = [x.clone().requires_grad_() for x in inputs]
    return torch.autograd.grad(f(*inputs), inputs, g)


def layer_grads(x, w, g):
    return grads(lambda x, w, b: F.layer_norm(x, w.shape, w, b, 1e-5), (x, w, torch.zeros_like(w)), g)


# Functions that PyTorch has under another name, or with other arguments; all operands are float64 or
# integers.
OTHERS = {
    "Cbrt": lambda x: torch.copysign(x.abs() ** (1 / 3), x), "Erfcinv": lambda x: torch.erfinv(1 - x),
    "Gamma": lambda x: torch.exp(torch.lgamma(x)), "GELU": F.gelu,
    "GELUTanh": lambda x: F.gelu(x, approximate="tanh"), "J0": SPECIAL.bessel_j0, "J1": SPECIAL.bessel_j1,
    "Y0": SPECIAL.bessel_y0, "Y1": SPECIAL.bessel_y1, "Logb": lambda x: torch.floor(torch.log2(x.abs())),
    "ReLU": F.relu, "Round": rounded_away, "RoundToEven": torch.round, "Sign": torch.sign, "SiLU": F.silu,
    "Softplus": lambda x: torch.log1p(torch.exp(x)), "IsInf": torch.isinf, "IsNaN": torch.isnan,
    "Dim": lambda x, y: (x - y).clamp(min=0), "Equal": torch.eq, "Greater": torch.gt,
    "GreaterEqual": torch.ge, "Less": torch.lt, "LessEqual": torch.le, "NotEqual": torch.ne,
    "Mod": torch.fmod, "Remainder": lambda x, y: x - y * torch.round(x / y), "Sum": lambda x,
    a: x.sum(a["axes"]), "Mean": lambda x, a: x.mean(a["axes"]), "Max": lambda x, a: x.amax(a["axes"]),
    "Min": lambda x, a: x.amin(a["axes"]), "Variance": lambda x, a: x.var(a["axes"], correction=0),
    "LogSumExp": lambda x, a: x.logsumexp(a["axes"]), "Softmax": lambda x, a: x.softmax(a["axis"]),
    "LogSoftmax": lambda x, a: x.log_softmax(a["axis"]), "CumSum": lambda x, a: x.cumsum(a["axis"]),
    "ArgMax": lambda x, a: x.argmax(a["axis"]), "Concat": lambda x,
    a: torch.cat((x, x.narrow(a["axis"], 0, 1), x), a["axis"]), "Pad": pad, "RMSNorm": lambda x,
    w: F.rms_norm(x, w.shape, w, 1e-5), "LayerNorm": lambda x, w, b: F.layer_norm(x, w.shape, w, b, 1e-5),
    "MatMul": torch.matmul, "Linear": lambda x, w, b: F.gelu(F.linear(x, w, b)), "Attention": attention,
    "CrossEntropy": lambda x, y: F.cross_entropy(x, y, reduction="none"), "Sort": lambda x,
    a: x.sort(dim=-1, descending=a["descending"], stable=True), "TopK": lambda x, a: x.topk(a["k"])[:1],
    "Gather": lambda x, i, a: x.gather(a["axis"], i), "ScatterAdd": lambda x, i, y,
    a: x.scatter_add(a["axis"], i, y), "Conv1D": convolution, "Conv2D": convolution, "MaxPool1D": pool,
    "MaxPool2D": pool, "AvgPool1D": pool, "AvgPool2D": pool, "AdaptiveMaxPool": lambda x,
    a: F.adaptive_max_pool2d(x, a["size"]), "AdaptiveAvgPool": lambda x,
    a: F.adaptive_avg_pool2d(x, a["size"]), "AttentionGrad": attention_grad, "CumProd": lambda x,
    a: x.cumprod(a["axis"]), "CumMax": lambda x, a: x.cummax(a["axis"])[:1], "CumMin": lambda x,
    a: x.cummin(a["axis"])[:1], "Scatter": lambda x, i, y, a: x.scatter(a["axis"], i, y),
    "CrossEntropyGrad": lambda x, y, g: grads(lambda x: F.cross_entropy(x, y, reduction="none"), (x,), g),
    "RMSNormGrad": lambda x, w, g: grads(lambda x, w: F.rms_norm(x, w.shape, w, 1e-5), (x, w), g),
    "LayerNormGrad": layer_grads,
}


def wanted(call, tensors):
    """PyTorch's results, computed in float64 from the same operands."""
    args = [t.double() if t.is_floating_point() else t for t in (tensors[n] for n in call["in"])]
    f = OTHERS.get(call["op"]) or getattr(torch, call["op"].lower())
    got = f(*args, call["attrs"]) if call.get("attrs") else f(*args)
    return got if isinstance(got, (tuple, list)) else (got,)


def worst(got, want, tol):
    """The largest error, in tolerances."""
    if got.shape != want.shape:
        return math.inf
    if got.numel() == 0:
        return 0.0
    g, w = got.double(), want.double()
    error = (g - w).abs() / (tol * (1 + w.abs()))
    error = torch.where((g == w) | (g.isnan() & w.isnan()), 0.0, error)
    return torch.where(error.isnan(), math.inf, error).max().item()


def main(folder):
    tensors = read(os.path.join(folder, "tensors.safetensors"))
    calls, wrong, ops = json.load(open(os.path.join(folder, "calls.json"))), 0, collections.Counter()
    for i, call in enumerate(calls):
        ops[call["op"]] += 1
        for name, want in zip(call["out"], wanted(call, tensors)):
            got = tensors[name]
            error = worst(got, want, TOLERANCE.get(got.dtype, 2e-5))
            if error > 1:
                wrong += 1
                shapes = [f"{tensors[n].dtype}{list(tensors[n].shape)}" for n in call["in"]]
                print(
                    f"call {i}: {call['op']} of {', '.join(shapes)} {call.get('attrs') or ''}: {error:.2g} tolerances")
    print(f"{len(calls)} calls of {len(ops)} ops, {wrong} wrong, PyTorch {torch.__version__}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1])
