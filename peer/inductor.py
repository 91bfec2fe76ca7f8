"""Launches the kernels that torch.compile writes, for `capture.py --time` to record:

  capture.py --time --out CASES --root EMPTY --max-bytes 200000000 inductor.py [--case NAME]...

Inductor chooses a config and launches a kernel in its own way; here each launch is then made once more
through Triton's interface, where capture.py sees it. The kernels lie outside of the root, so that capture.py
writes them out, with the functions of Inductor's that they call. Cases are generators of a function, its
arguments and, if given, options of torch.compile.
"""
import sys

import torch
import torch.nn.functional as F
from torch._inductor.runtime import triton_heuristics

import libraries
from libraries import BF16, DEVICE, FP16, FP32, rand

CASES = []
CANDIDATE = "triton_"  # the name of a kernel that Inductor only measures


def case(kind):
    """Registers a generator as a case that compiles and runs what it yields, forward and backward."""
    def register(f):
        def run():
            torch._dynamo.reset()
            for function, args, *options in f():
                compiled = torch.compile(function, dynamic=False, options=dict(*options))
                libraries.once(lambda: libraries.backward(compiled(*args)))
        run.__name__ = f.__name__
        CASES.append(("inductor", kind, run))
        return f
    return register


def relaunch(tuner, args):
    """Makes a launch of Inductor's through Triton's interface."""
    if tuner.fn.fn is None:  # a worker process or Inductor's cache brought the code, without the Python function
        tuner.fn = tuner._reload_kernel().fn
    config = tuner.launchers[0].config
    names = [n for n, t in tuner.triton_meta["signature"].items() if t != "constexpr"]
    more = list(tuner.inductor_meta.get("extra_launcher_args", ()))  # which the grid alone depends on
    constants = {k if isinstance(k, str) else k[0]: v for k,
                 v in (tuner.triton_meta.get("constants") or {}).items()}
    grid = triton_heuristics.GridExpr.from_meta(tuner.inductor_meta, config).eval_slow({**constants,
                                                                                        **dict(zip(names + more, args))})
    named = {k: v for k, v in constants.items() if k in tuner.fn.arg_names}
    named.update(zip(names, args), num_warps=config.num_warps, num_stages=config.num_stages, **config.kwargs)
    tuner.fn[grid](**named)


def again():
    """Has Inductor's launches made once more, on copies of the tensors that it launched with."""
    run = triton_heuristics.CachingAutotuner.run

    def both(self, *args, stream, benchmark_run=False, **kwargs):
        if benchmark_run or kwargs or self.fn.__name__ == CANDIDATE:
            return run(self, *args, stream=stream, benchmark_run=benchmark_run, **kwargs)
        kept = copies(args)
        result = run(self, *args, stream=stream)
        libraries.once(lambda: relaunch(self, kept))
        return result

    triton_heuristics.CachingAutotuner.run = both


def copies(args):
    """The arguments of a launch with tensors in memory of their own, which those share that shared it
    before."""
    storages, out = {}, []
    for a in args:
        if isinstance(a, torch.Tensor):
            s = a.untyped_storage()
            fresh = storages.setdefault(s.data_ptr(), s.clone())
            a = torch.empty(0, dtype=a.dtype, device=a.device).set_(fresh, a.storage_offset(), a.shape,
                                                                    a.stride())
        out.append(a)
    return out


def ints(below, *shape):
    return torch.randint(0, below, shape, device=DEVICE)


@case("inductor: elementwise")
def pointwise():
    yield lambda x, a, b: F.gelu(x * a + b), (rand(4096, 4096), rand(4096), rand(4096))
    yield lambda x, y: F.silu(x) * y, (rand(2047, 5505, dtype=FP16), rand(2047, 5505, dtype=FP16))
    yield lambda x, y: (x.tanh() + y.sigmoid()).exp().clamp(0, 4).log1p(), (rand(1000, 777, dtype=FP32),
                                                                            rand(777, dtype=FP32))
    yield lambda x: (x.sin() * x.cos()).to(FP16), (rand(4096, 1024, dtype=FP32),)
    yield lambda x: (x + 1) // 3 % 7, (ints(100000, 3, 1000003),)


@case("inductor: layouts")
def layouts():
    yield lambda x, y: x.t() + y, (rand(4096, 4096), rand(4096, 4096))
    yield lambda x: x.permute(0, 3, 1, 2).contiguous() * 2, (rand(16, 56, 56, 128, dtype=FP16),)
    yield lambda x, y, z: torch.cat([x, y.relu(), z * 2], 1), (rand(4096, 1024), rand(4096, 333),
                                                               rand(4096, 77))
    yield lambda x: F.pad(x, (1, 2, 3, 4)).flip(0), (rand(64, 200, 333),)
    yield lambda x: torch.roll(x, (3, 5), (1, 2)) + x.tril(), (rand(16, 512, 511),)


@case("inductor: rows")
def rows():
    yield lambda x: x.softmax(-1), (rand(4096, 4096, grad=True),)
    yield lambda x: x.log_softmax(-1), (rand(500, 50257, grad=True),)
    for n, m, dtype in ((4096, 2048, BF16), (1023, 5120, FP16), (8192, 768, FP32)):
        yield (lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b)), tuple(rand(*s, dtype=dtype, grad=True)
                                                                           for s in ((n, m), (m,), (m,)))
    for n, classes in ((1024, 32000), (511, 50257)):
        yield lambda x, t: F.cross_entropy(x.float(), t, label_smoothing=0.1), (rand(n, classes, grad=True),
                                                                                ints(classes, n))


@case("inductor: channels")
def channels():
    yield lambda x, w, b: F.relu(F.group_norm(x, 32, w, b)), (rand(8, 256, 32, 33, grad=True),
                                                              rand(256, grad=True), rand(256, grad=True))
    yield lambda x, w, b: F.batch_norm(x, None, None, w, b, True), tuple(rand(*s, dtype=FP32, grad=True)
                                                                         for s in ((32, 64, 56, 56), (64,), (64,)))
    yield lambda x: F.normalize(x, dim=1), (rand(64, 512, 49, dtype=FP32),)
    yield lambda x: F.max_pool2d(x, 3, 2, 1), (rand(32, 64, 112, 112, dtype=FP16, grad=True),)
    yield lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (rand(8, 32, 96, 97),)


@case("inductor: sums")
def sums():
    yield lambda x: (x.sum(), x.float().var(), x.abs().amax()), (rand(4096, 4096),)
    yield lambda x: (x.sum(0), x.amax(0), x.float().std(0)), (rand(8192, 1000, dtype=FP32),)
    yield lambda x: (x.argmax(-1), x.argmin(0)), (rand(2048, 3333, dtype=FP32),)
    yield lambda x: x.prod(-1) + x.any(-1), (rand(4096, 513, dtype=FP32),)
    yield lambda x: x.cumsum(-1), (rand(2048, 2048, dtype=FP32),)
    yield lambda x: x.logcumsumexp(-1), (rand(1024, 1024, dtype=FP32),)


@case("inductor: gathers")
def gathers():
    yield F.embedding, (ints(32000, 8, 1024), rand(32000, 1024, grad=True))
    yield lambda x, i, s: x.clone().index_add_(0, i, s), (rand(4096, 512, dtype=FP32), ints(4096, 8192),
                                                          rand(8192, 512, dtype=FP32))
    yield lambda x, i: x.gather(1, i), (rand(4096, 2000), ints(2000, 4096, 1000))
    yield torch.bucketize, (rand(1000, 1000, dtype=FP32), torch.linspace(-3, 3, 257, device=DEVICE))


@case("inductor: quantization")
def quantization():
    def whole(x):
        s = x.abs().amax(-1, keepdim=True).float() / 127
        return (x.float() / s).round().clamp(-128, 127).to(torch.int8), s

    def groups(x):
        y = x.view(-1, 128).float()
        s = y.abs().amax(-1, keepdim=True) / 448
        return (y / s).to(torch.float8_e4m3fn).view(x.shape), s

    yield whole, (rand(4096, 4096),)
    yield groups, (rand(4096, 3072),)


@case("inductor: products")
def products():
    tuned = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON",
             "test_configs.max_mm_configs": 4}
    yield lambda a, b: (a @ b).relu(), (rand(2048, 2048, dtype=FP16), rand(2048, 1024, dtype=FP16)), tuned
    yield lambda a, b, c: F.gelu(torch.addmm(c, a, b)), (rand(1000, 1032), rand(1032, 2056),
                                                         rand(2056)), tuned
    yield lambda a, b: torch.bmm(a, b.transpose(1, 2)) * 0.5, (rand(32, 512, 64), rand(32, 512, 64)), tuned


@case("inductor: attention")
def attention():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    causal = create_block_mask(lambda b, h, i, j: i >= j, None, None, 2048, 2048, device=DEVICE)
    yield lambda q, k, v: flex_attention(q, k, v, block_mask=causal), tuple(rand(2, 16, 2048, 64, grad=True)
                                                                            for _ in range(3))
    yield lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i,
                                         j: s + (i - j) * 0.01), tuple(rand(2, 16, 1024, 128)
                                                                       for _ in range(3))


if __name__ == "__main__":
    again()
    libraries.main(CASES)
