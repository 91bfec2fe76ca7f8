"""Launches kernels of public Triton libraries at the sizes at which they are used, for `capture.py --time` to
record:

  capture.py --time --out CASES --root LIBRARIES --max-bytes 200000000 --configs 2 libraries.py [--only
      LIBRARY]...

LIBRARIES is a folder with the packages side by side (liger_kernel, fla, flag_gems, attorch, mamba_ssm, conch,
and Triton's tutorials); it comes first on the path. Of flash_attn and bitsandbytes it has only the files with
Triton kernels and what they import, without __init__.py: the packages themselves want compiled extensions.
What is not there, or fails, is named on standard error and left out. The classes are those of the table in
docs/PERFORMANCE.md. With --case, the cases run in the order in which they are named.
"""
import argparse
import importlib
import importlib.util
import itertools
import os
import sys
import time
import traceback

import torch
import triton

DEVICE = "cuda"
BF16, FP16, FP32, FP8 = torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn
CASES = []


def case(library, kind):
    """Registers a function as a case: it launches kernels of a library that belong to a class."""
    def register(f):
        CASES.append((library, kind, f))
        return f
    return register


def rand(*shape, dtype=BF16, grad=False, scale=1.0):
    return (torch.randn(*shape, device=DEVICE, dtype=FP32) * scale).to(dtype).requires_grad_(grad)


def logsigmoid(*shape, dtype=FP32, grad=False):
    return torch.nn.functional.logsigmoid(torch.randn(*shape, device=DEVICE)).to(dtype).requires_grad_(grad)


def once(f):
    """Calls f, which launches kernels; says so if it fails, and goes on."""
    try:
        return f()
    except Exception as e:
        at = traceback.extract_tb(e.__traceback__)
        line = next((x.lineno for x in reversed(at) if x.filename == __file__), 0)
        print(f"  line {line}: {e!r:.200} in {at[-1].filename}:{at[-1].lineno}", file=sys.stderr)


def both(f):
    """Calls f, a forward pass, and runs the backward pass of what it gives."""
    once(lambda: backward(f()))


def backward(out):
    outs = [o for o in (out if isinstance(out, (tuple, list)) else (out,)) if isinstance(o, torch.Tensor)
            and o.requires_grad]
    if outs:
        torch.autograd.backward(outs, [torch.randn_like(o) for o in outs])


def recorder():
    return getattr(sys.modules.get("capture"), "recorder", None)


def use(module, name):
    return getattr(importlib.import_module(module), name)


# ---- Liger

def liger(file, name):
    return use("liger_kernel.ops." + file, name).apply


@case("liger", "elementwise math")
def liger_elementwise():
    a, b = rand(4096, 8192, grad=True), rand(4096, 8192, grad=True)
    both(lambda: liger("swiglu", "LigerSiLUMulFunction")(a, b))
    both(lambda: liger("geglu", "LigerGELUMulFunction")(a, b))
    both(lambda: liger("relu_squared", "LigerReLUSquaredFunction")(a))
    both(lambda: liger("dyt", "LigerDyTFunction")(rand(4096, 4096, grad=True), rand(1, grad=True),
                                                  rand(4096, grad=True), rand(4096, grad=True)))


@case("liger", "norms")
def liger_norms():
    for dtype, n in ((BF16, 4096), (FP32, 2048)):
        x, w, b = rand(4096, n, dtype=dtype, grad=True), rand(n, dtype=dtype, grad=True), rand(n, dtype=dtype, grad=True)
        both(lambda: liger("rms_norm", "LigerRMSNormFunction")(x, w, 1e-6, 0.0, "llama", False))
        both(lambda: liger("layer_norm", "LigerLayerNormFunction")(x, w, b, 1e-6))
        both(lambda: liger("fused_add_rms_norm",
                           "LigerFusedAddRMSNormFunction")(x, rand(4096, n, dtype=dtype, grad=True), w, 1e-6))
    both(lambda: liger("poly_norm", "LigerPolyNormFunction")(rand(4096, 4096, grad=True), rand(3, grad=True),
                                                             rand([], grad=True)))
    both(lambda: liger("group_norm", "LigerGroupNormFunction")(rand(16, 256, 512, dtype=FP32, grad=True),
                                                               rand(256, dtype=FP32, grad=True),
                                                       rand(256, dtype=FP32, grad=True), 256, 32, 1e-6))


@case("liger", "row reductions")
def liger_losses():
    x = rand(2048, 32000, grad=True)
    target = torch.randint(0, 32000, (2048,), device=DEVICE)
    both(lambda: liger("cross_entropy", "LigerCrossEntropyFunction")(x, target, None)[0])
    both(lambda: liger("softmax", "LigerSoftmaxFunction")(rand(4096, 4096, grad=True)))
    both(lambda: liger("sparsemax", "LigerSparsemaxFunction")(rand(1024, 2048, dtype=FP32, grad=True), -1))
    p, q = (rand(2048, 8192, dtype=FP32).log_softmax(-1) for _ in range(2))
    p.requires_grad_()
    both(lambda: liger("kl_div", "LigerKLDivLossFunction")(p, q.exp()))
    both(lambda: liger("jsd", "LigerJSDFunction")(p, q))
    both(lambda: liger("tvd", "LigerTVDLossFunction")(p.detach().exp().requires_grad_(), q.exp()))


@case("liger", "gathers and rotations")
def liger_rope():
    q, k = rand(2, 32, 2048, 128, grad=True), rand(2, 8, 2048, 128, grad=True)
    cos, sin = rand(1, 2048, 128), rand(1, 2048, 128)
    both(lambda: liger("rope", "LigerRopeFunction")(q, k, cos, sin))
    both(lambda: liger("qwen2vl_mrope", "LigerQwen2VLMRopeFunction")(q, k, rand(3, 2, 2048, 128),
                                                                     rand(3, 2, 2048, 128), [16, 24, 24]))


@case("liger", "small products")
def liger_moe():
    t, h, e, i, k = 2048, 1024, 8, 512, 2
    index = torch.stack([torch.randperm(e, device=DEVICE)[:k] for _ in range(t)]).int()
    both(lambda: liger("fused_moe", "LigerFusedMoEFunction")(rand(t, h, grad=True),
                                                             rand(e, 2 * i, h, grad=True, scale=0.05),
                                                             rand(e, h, i, grad=True, scale=0.05),
                                                     index, rand(t, k, grad=True)))


@case("liger", "norms")
def liger_more_norms():
    x, w = rand(4, 1024, 4096, grad=True), rand(4096, grad=True)
    both(lambda: liger("modulated_rms_norm", "LigerModulatedRMSNormFunction")(x, w, rand(4, 4096, grad=True),
                                                                              rand(4, 4096, grad=True), 1e-6))
    both(lambda: liger("attn_res", "LigerAttnResFunction")(rand(8, 4096, 1024, grad=True),
                                                           rand(1024, grad=True), rand(1024, grad=True),
                                                           1e-6))


@case("liger", "row reductions")
def liger_more_losses():
    target = torch.randint(0, 16000, (2048,), device=DEVICE)
    both(lambda: liger("fused_ce_tvd", "LigerFusedCETVDFunction")(rand(2048, 16000, grad=True),
                                                                  rand(2048, 16000), target))
    both(lambda: liger("cross_entropy", "LigerCrossEntropyFunction")(rand(2048, 16000, dtype=FP32, grad=True),
                                                                     target, None, -100, 1e-4, 0.1)[0])
    ids, mask = torch.randint(0, 16000, (4, 256), device=DEVICE), torch.ones(4, 256, device=DEVICE,
                                                                             dtype=torch.int32)
    both(lambda: liger("grpo_loss", "GrpoLossFunction")(rand(4, 257, 16000, grad=True), None, None, ids,
                                                        rand(4, dtype=FP32), mask, 0.9, 0.0, 0.2, 0.4,
                                                        False)[0])


@case("liger", "attention by pointers")
def liger_neighbours():
    q, k, v = (rand(2, 8, 1024, 64, grad=True, scale=0.5) for _ in range(3))
    both(lambda: liger("fused_neighborhood_attention",
                       "LigerFusedNeighborhoodAttentionFunction")(q, k, v, 7, 1))


# ---- flash-linear-attention

B, T, H, K = 2, 2048, 8, 64


def heads(*more, n=3, grad=True, dtype=BF16):
    return [rand(B, T, H, *(more or (K,)), dtype=dtype, grad=grad, scale=0.5) for _ in range(n)]


def fla(name):
    return use("fla.ops", name)


@case("fla", "scans")
def fla_cumsum():
    local, total = use("fla.ops.utils", "chunk_local_cumsum"), use("fla.ops.utils", "chunk_global_cumsum")
    scalar, vector = rand(8, 4096, 16, dtype=FP32), rand(4, 4096, 8, 64, dtype=FP32)
    for reverse in (False, True):
        for g in (scalar, vector):
            local(g, 64, reverse=reverse)
            total(g, reverse=reverse)


@case("fla", "attention by pointers")
def fla_attention():
    for d in (64, 128):
        q, k, v = heads(d)
        both(lambda: fla("parallel_attn")(q, k, v))
    q, k, v = heads()
    both(lambda: fla("parallel_forgetting_attn")(q, k, v, logsigmoid(B, T, H, grad=True)))


@case("fla", "small products")
def fla_gated():
    q, k, v = heads()
    both(lambda: fla("chunk_gla")(q, k, v, logsigmoid(B, T, H, K, grad=True)))
    both(lambda: fla("chunk_simple_gla")(q, k, v, logsigmoid(B, T, H, grad=True)))
    both(lambda: fla("chunk_retention")(q, k, v))


@case("fla", "small products")
def fla_slots():
    q, k, v = heads()
    both(lambda: fla("chunk_gsa")(q, k, v, rand(B, T, H, 64, grad=True), logsigmoid(B, T, H, 64, grad=True)))


@case("fla", "small products")
def fla_delta():
    q, k, v = heads()
    k = torch.nn.functional.normalize(k.float(), dim=-1).to(BF16).detach().requires_grad_()
    beta = torch.rand(B, T, H, device=DEVICE).to(BF16).requires_grad_()
    both(lambda: fla("chunk_delta_rule")(q, k, v, beta))
    both(lambda: fla("chunk_gated_delta_rule")(q, k, v, logsigmoid(B, T, H, grad=True), beta))
    both(lambda: fla("chunk_kda")(q, k, v, logsigmoid(B, T, H, K, grad=True), beta))


@case("fla", "small products")
def fla_rwkv():
    r, k, v = heads()
    both(lambda: fla("chunk_rwkv6")(r, k, v, logsigmoid(B, T, H, K, grad=True), rand(H, K, grad=True)))
    w = (-0.6065 * torch.rand(B, T, H, K, device=DEVICE)).to(BF16).requires_grad_()
    a = torch.nn.functional.normalize(rand(B, T, H, K, dtype=FP32), dim=-1).to(BF16)
    both(lambda: fla("chunk_rwkv7")(r, w, k, v, (-a).detach().requires_grad_(),
                                    (a * 0.5).detach().requires_grad_()))


@case("fla", "recurrences")
def fla_recurrent():
    q, k, v = heads()
    both(lambda: fla("fused_recurrent_gla")(q, k, v, gk=logsigmoid(B, T, H, K, grad=True)))
    both(lambda: fla("fused_recurrent_hgrn")(rand(8, T, 1024, grad=True),
                                             logsigmoid(8, T, 1024, dtype=BF16, grad=True)))


@case("fla", "norms")
def fla_modules():
    x, w = rand(4096, 2048, grad=True), rand(2048, grad=True)
    both(lambda: use("fla.modules.layernorm", "rms_norm")(x, w, None))
    both(lambda: use("fla.modules.layernorm", "layer_norm")(x, w, rand(2048, grad=True)))
    both(lambda: use("fla.modules.l2norm", "l2norm")(rand(2, 4096, 16, 128, grad=True)))


@case("fla", "convolutions and pooling")
def fla_conv():
    both(lambda: use("fla.modules.convolution", "causal_conv1d")(rand(4, 4096, 1024, grad=True),
                                                                 rand(1024, 4, grad=True), activation="silu"))


@case("fla", "row reductions")
def fla_losses():
    both(lambda: use("fla.modules.fused_cross_entropy",
                     "cross_entropy_loss")(rand(4096, 16000, grad=True),
                                           torch.randint(0, 16000, (4096,), device=DEVICE))[0])


@case("fla", "small products")
def fla_linear():
    q, k, v = heads()
    both(lambda: fla("chunk_linear_attn")(q, k, v, normalize=False))
    both(lambda: fla("chunk_lightning_attn")(q, k, v, 3, 12))
    both(lambda: fla("fused_chunk_linear_attn")(q, k, v, normalize=False))


@case("fla", "small products")
def fla_more_delta():
    q, k, v = heads()
    k = torch.nn.functional.normalize(k.float(), dim=-1).to(BF16).detach().requires_grad_()
    beta = torch.rand(B, T, H, device=DEVICE).to(BF16).requires_grad_()
    once(lambda: fla("chunk_comba")(q, k, v, k.detach().clone(), logsigmoid(B, T, H), beta))
    once(lambda: fla("chunk_iplr_delta_rule")(q, k, v, (-k).detach(), (k * 0.5).detach()))
    once(lambda: fla("chunk_gated_delta_rule")(q, k, v, logsigmoid(B, T, H), beta,
                                               use_qk_l2norm_in_kernel=True))


@case("fla", "small products")
def fla_more_chunks():
    q, k, v = heads()
    once(lambda: fla("chunk_mesa_net")(q, k, v, logsigmoid(B, T, H),
                                       torch.rand(B, T, H, device=DEVICE).to(BF16),
                                       torch.rand(H, K, device=DEVICE) + 0.25, max_CG_iteration=5))
    once(lambda: fla("chunk_log_linear_attn")(q[:, :, :1].contiguous(), k[:, :, :1].contiguous(), v,
                                              logsigmoid(B, T, H), torch.rand(B, T, H, 12, device=DEVICE)))
    both(lambda: fla("chunk_abc")(*(x.detach().transpose(1, 2).contiguous().requires_grad_()
                                    for x in (q, k, v)), rand(B, H, T, 64, grad=True)))


@case("fla", "attention by pointers")
def fla_more_attention():
    q, k, v = heads()
    both(lambda: fla("parallel_retention")(q, k, v))
    both(lambda: fla("parallel_based")(*heads(16, n=2), v))
    both(lambda: fla("parallel_path_attn")(q, k, v,
                                           torch.nn.functional.normalize(k.float(), dim=-1).detach().requires_grad_(), torch.rand(B, T, H, device=DEVICE).requires_grad_()))
    blocks = torch.randint(0, T // 64, (B, T, 2, 8), device=DEVICE).sort(-1)[0]
    both(lambda: fla("parallel_nsa")(rand(B, T, 32, K, grad=True, scale=0.5),
                                     *(rand(B, T, 2, K, grad=True, scale=0.5) for _ in range(2)),
                                     g_slc=rand(B, T, 32, grad=True), block_indices=blocks, block_counts=8,
                                     block_size=64))


@case("fla", "recurrences")
def fla_more_recurrent():
    q, k, v = (rand(16, 64, 8, 64, scale=0.5) for _ in range(3))
    once(lambda: fla("fused_recurrent_gated_delta_rule")(q, k, v, logsigmoid(16, 64, 8),
                                                         beta=torch.rand(16, 64, 8, device=DEVICE).to(BF16)))
    once(lambda: fla("fused_recurrent_rwkv6")(q, k, v, logsigmoid(16, 64, 8, 64), rand(8, 64)))
    once(lambda: fla("fused_recurrent_kda")(q, k, v, logsigmoid(16, 64, 8, 64),
                                            torch.rand(16, 64, 8, device=DEVICE).to(BF16)))


@case("fla", "elementwise math")
def fla_elementwise():
    x, y = rand(4096, 4096, grad=True), rand(4096, 4096, grad=True)
    both(lambda: use("fla.modules.activations", "swiglu")(x, y))
    both(lambda: use("fla.modules.activations", "swish")(x))
    both(lambda: use("fla.modules.activations", "logsigmoid")(x))
    both(lambda: use("fla.modules.token_shift", "token_shift")(rand(4, 2048, 2048, grad=True)))
    both(lambda: use("fla.modules.rotary", "rotary_embedding")(rand(2, 2048, 16, 128, grad=True),
                                                               rand(2048, 64), rand(2048, 64)))


@case("fla", "norms")
def fla_gated_norms():
    x, g = rand(4096, 2048, grad=True), rand(4096, 2048, grad=True)
    both(lambda: use("fla.modules.fused_norm_gate", "rms_norm_gated")(x, g, rand(2048, grad=True), None))
    both(lambda: use("fla.modules.fused_norm_gate", "layer_norm_gated")(rand(65536, 128, grad=True),
                                                                        rand(65536, 128, grad=True),
                                                                        rand(128, grad=True),
                                                                       rand(128, grad=True)))


# ---- FlagGems

def gems(name):
    return use("flag_gems.ops", name)


@case("flag_gems", "elementwise math")
def gems_math():
    for dtype in (BF16, FP32):
        x, y = rand(4096, 4096, dtype=dtype), rand(4096, 4096, dtype=dtype)
        for name in ("gelu", "silu", "tanh", "sigmoid", "exp", "sin", "erf", "rsqrt"):
            once(lambda: gems(name)(x.abs() + 1 if name == "rsqrt" else x))
        for name in ("add", "mul", "true_divide", "maximum"):
            once(lambda: gems(name)(x, y))


@case("flag_gems", "fills and small copies")
def gems_fills():
    for n in (1 << 16, 1 << 20, 1 << 22):
        once(lambda: gems("zeros")((n,), dtype=FP32, device=DEVICE))
        once(lambda: gems("full")((n,), 3.0, dtype=FP16, device=DEVICE))
        once(lambda: gems("arange")(n, dtype=torch.int64, device=DEVICE))
        once(lambda: gems("relu")(rand(n, dtype=FP16)))
    once(lambda: gems("flip")(rand(1024, 1024), [0]))
    once(lambda: gems("cat")([rand(1024, 1024), rand(1024, 1024)], 1))
    once(lambda: gems("repeat")(rand(1024, 256), [2, 4]))
    once(lambda: gems("triu")(rand(2048, 2048, dtype=FP32)))


@case("flag_gems", "scans")
def gems_scans():
    for dtype in (FP32, FP16):
        once(lambda: gems("cumsum")(rand(1024, 8192, dtype=dtype), 1))
        once(lambda: gems("cumsum")(rand(8, 4096, 64, dtype=dtype), 1))
    once(lambda: gems("cummax")(rand(1024, 4096, dtype=FP32), 1))


@case("flag_gems", "sorts and histograms")
def gems_sorts():
    once(lambda: gems("sort")(rand(64, 16384, dtype=FP32)))
    once(lambda: gems("topk")(rand(64, 8192, dtype=FP32), 16))
    once(lambda: gems("randperm")(1 << 18, device=DEVICE))


@case("flag_gems", "row reductions")
def gems_reductions():
    for dtype in (FP32, FP16):
        x = rand(4096, 4096, dtype=dtype)
        for name in ("sum_dim", "mean_dim", "argmax", "softmax", "log_softmax"):
            once(lambda: gems(name)(x, [1] if name in ("sum_dim", "mean_dim") else -1))
    few = rand(1 << 18, 32, dtype=FP32)
    once(lambda: gems("softmax")(few, -1))
    once(lambda: gems("sum_dim")(few, [1]))
    once(lambda: gems("sum_dim")(rand(256, 1 << 16, dtype=FP32), [0]))
    once(lambda: gems("var_mean")(rand(2048, 4096, dtype=FP32), [1]))
    once(lambda: gems("vector_norm")(rand(2048, 4096, dtype=FP32), 2, [1]))


@case("flag_gems", "gathers and rotations")
def gems_gathers():
    table, index = rand(32000, 1024), torch.randint(0, 32000, (8192,), device=DEVICE)
    once(lambda: gems("embedding")(table, index))
    once(lambda: gems("index_select")(table, 0, index))
    once(lambda: gems("gather")(rand(4096, 2048), 1, torch.randint(0, 2048, (4096, 1024), device=DEVICE)))
    once(lambda: gems("masked_fill")(rand(4096, 4096), torch.rand(4096, 4096, device=DEVICE) > 0.5, 0.0))


@case("flag_gems", "convolutions and pooling")
def gems_vision():
    x = rand(16, 64, 56, 56, dtype=FP16)
    once(lambda: gems("conv2d")(x, rand(128, 64, 3, 3, dtype=FP16, scale=0.05), None, 1, 1, 1, 1))
    once(lambda: gems("upsample_nearest2d")(x, (112, 112)))
    once(lambda: gems("avg_pool2d")(x, 3, 2, 1))
    once(lambda: gems("max_pool2d_with_indices")(x, 3, 2, 1))


@case("flag_gems", "products")
def gems_products():
    for dtype in (BF16, FP32):
        once(lambda: gems("mm")(rand(2048, 2048, dtype=dtype), rand(2048, 2048, dtype=dtype)))
        once(lambda: gems("bmm")(rand(16, 512, 512, dtype=dtype), rand(16, 512, 512, dtype=dtype)))
        once(lambda: gems("addmm")(rand(1024, dtype=dtype), rand(1024, 1024, dtype=dtype),
                                   rand(1024, 1024, dtype=dtype)))
        once(lambda: gems("mv")(rand(4096, 4096, dtype=dtype), rand(4096, dtype=dtype)))


@case("flag_gems", "norms")
def gems_norms():
    x, w, b = rand(4096, 4096, dtype=FP16), rand(4096, dtype=FP16), rand(4096, dtype=FP16)
    once(lambda: gems("rms_norm")(x, (4096,), w))
    once(lambda: gems("layer_norm")(x, (4096,), w, b))
    once(lambda: gems("group_norm")(rand(16, 256, 1024, dtype=FP16), rand(256, dtype=FP16),
                                    rand(256, dtype=FP16), 16, 256, 1024, 32))


@case("flag_gems", "elementwise math")
def gems_more_math():
    x, y = rand(4096, 4096, dtype=FP16), rand(4096, 4096, dtype=FP16)
    for name in ("abs", "log", "cos", "softplus", "elu", "reciprocal", "exp2", "isnan", "logical_not"):
        once(lambda: gems(name)(x))
    for name in ("sub", "pow_tensor_tensor", "eq", "lt", "minimum", "logaddexp", "bitwise_and_tensor",
                 "floor_divide"):
        whole = name == "bitwise_and_tensor"
        once(lambda: gems(name)(*((x > 0, y > 0) if whole else (x.abs(), y))))
    once(lambda: gems("where_self")(x > 0, x, y))
    once(lambda: gems("clamp")(x, -1, 1))
    once(lambda: gems("addcmul")(x, x, y))
    once(lambda: gems("lerp_scalar")(x, y, 0.3))
    once(lambda: gems("silu_backward")(x, y))
    once(lambda: gems("gelu_backward")(x, y))
    once(lambda: gems("to_copy")(x, dtype=FP32))
    once(lambda: use("flag_gems.fused", "silu_and_mul")(x, y))
    once(lambda: use("flag_gems.fused", "gelu_and_mul")(x, y))


@case("flag_gems", "row reductions")
def gems_more_reductions():
    x = rand(4096, 4096, dtype=FP32)
    for name in ("sum", "mean", "amax", "max", "min", "argmin", "prod", "all", "any", "var_mean", "std"):
        once(lambda: gems(name)(x))
    for name in ("max_dim", "amax", "prod_dim", "all_dim", "any_dim", "std"):
        once(lambda: gems(name)(x, [1] if name == "amax" else 1))
    once(lambda: gems("softmax")(rand(64, 1024, 256, dtype=FP16), 1))
    once(lambda: gems("sum_dim")(rand(64, 1024, 256, dtype=FP16), [1]))
    once(lambda: gems("log_softmax_backward")(x, rand(4096, 4096, dtype=FP32), 1, FP32))
    once(lambda: gems("dot")(rand(1 << 20, dtype=FP32), rand(1 << 20, dtype=FP32)))
    once(lambda: gems("mse_loss")(rand(4096, 1024, dtype=FP32), rand(4096, 1024, dtype=FP32)))
    once(lambda: gems("nll_loss_forward")(rand(8192, 1000, dtype=FP32),
                                          torch.randint(0, 1000, (8192,), device=DEVICE)))


@case("flag_gems", "gathers and rotations")
def gems_more_gathers():
    x = rand(4096, 2048, dtype=FP16)
    index = torch.rand(4096, 2048, device=DEVICE).argsort(1)[:, :1024].contiguous()  # none twice: the last store wins
    once(lambda: gems("scatter")(x, 1, index, rand(4096, 1024, dtype=FP16)))
    once(lambda: gems("index_add")(x, 0, torch.randperm(4096, device=DEVICE)[:1024],
                                   rand(1024, 2048, dtype=FP16)))
    once(lambda: gems("index")(x, [torch.randint(0, 4096, (8192,), device=DEVICE)]))
    once(lambda: gems("masked_select")(x, x > 0))
    once(lambda: gems("nonzero")(x > 1))
    once(lambda: gems("roll")(x, 3, 1))
    once(lambda: gems("pad")(x, (1, 2, 3, 4), "constant", 0.0))
    once(lambda: gems("one_hot")(torch.randint(0, 128, (16384,), device=DEVICE), 128))
    q, k, cos = rand(4, 2048, 16, 128), rand(4, 2048, 4, 128), rand(2048, 64)
    once(lambda: use("flag_gems.fused", "apply_rotary_pos_emb")(q, k, cos, cos,
                                                                torch.arange(2048, device=DEVICE).repeat(4, 1), False))


@case("flag_gems", "fills and small copies")
def gems_more_fills():
    once(lambda: gems("ones")((1 << 20,), dtype=FP32, device=DEVICE))
    once(lambda: gems("eye")(2048, dtype=FP32, device=DEVICE))
    once(lambda: gems("linspace")(0, 1, 1 << 20, dtype=FP32, device=DEVICE))
    once(lambda: gems("fill_scalar")(rand(1 << 20, dtype=FP16), 2.0))
    once(lambda: gems("stack")([rand(1024, 1024), rand(1024, 1024)], 0))
    once(lambda: gems("tile")(rand(1024, 256), [2, 4]))
    once(lambda: gems("diag")(rand(2048, dtype=FP32)))
    once(lambda: gems("tril")(rand(2048, 2048, dtype=FP16)))
    once(lambda: gems("contiguous")(rand(2048, 2048).T))
    once(lambda: gems("rand")((1 << 22,), device=DEVICE))
    once(lambda: gems("randn")((1 << 22,), device=DEVICE))


@case("flag_gems", "convolutions and pooling")
def gems_more_vision():
    x = rand(16, 64, 56, 56, dtype=FP32)
    once(lambda: gems("conv2d")(x, rand(64, 64, 1, 1, dtype=FP32, scale=0.05), None, 1, 0, 1, 1))
    once(lambda: gems("conv1d")(rand(16, 64, 2048, dtype=FP16), rand(64, 64, 3, dtype=FP16, scale=0.05), None,
                                1, 1, 1, 1))
    once(lambda: gems("upsample_bicubic2d")(x[:4].contiguous(), (112, 112), False, None, None))
    once(lambda: gems("upsample_nearest1d")(rand(16, 64, 4096, dtype=FP16), (8192,)))
    once(lambda: gems("reflection_pad2d")(x, (1, 1, 1, 1)))
    once(lambda: gems("pixel_unshuffle")(x, 2))


@case("flag_gems", "norms")
def gems_more_norms():
    x, w, b = rand(4096, 4096, dtype=FP16), rand(4096, dtype=FP16), rand(4096, dtype=FP16)
    once(lambda: use("flag_gems.fused", "fused_add_rms_norm")(x, rand(4096, 4096, dtype=FP16), (4096,), w))
    once(lambda: use("flag_gems.fused", "skip_layer_norm")(x, rand(4096, 4096, dtype=FP16), (4096,), w, b))
    stats = rand(4096, dtype=FP32), rand(4096, dtype=FP32).abs() + 1
    once(lambda: gems("layer_norm_backward")(rand(4096, 4096, dtype=FP16), x, (4096,), *stats, w, b,
                                             [True, True, True]))
    once(lambda: gems("batch_norm")(rand(32, 64, 56, 56, dtype=FP32), rand(64, dtype=FP32),
                                    rand(64, dtype=FP32), rand(64, dtype=FP32), rand(64, dtype=FP32).abs(),
                                    True))
    once(lambda: gems("weight_norm_interface")(rand(4096, 1024, dtype=FP32), rand(4096, 1, dtype=FP32), 0))


@case("flag_gems", "products")
def gems_more_products():
    once(lambda: gems("baddbmm")(rand(16, 512, 512), rand(16, 512, 512), rand(16, 512, 512)))
    once(lambda: gems("addmv")(rand(4096, dtype=FP16), rand(4096, 4096, dtype=FP16), rand(4096, dtype=FP16)))
    once(lambda: gems("kron")(rand(64, 64, dtype=FP32), rand(32, 32, dtype=FP32)))
    once(lambda: gems("mm")(rand(512, 4096, dtype=FP16), rand(4096, 1024, dtype=FP16)))


@case("flag_gems", "attention by pointers")
def gems_attention():
    q, k, v = (rand(2, 16, 2048, 64, dtype=FP16, scale=0.5) for _ in range(3))
    once(lambda: gems("scaled_dot_product_attention")(q, k, v, is_causal=True))


@case("flag_gems", "quantization")
def gems_quantization():
    once(lambda: gems("per_token_group_quant_fp8")(rand(4096, 4096), 128))
    once(lambda: gems("hadamard_transform")(rand(8192, 1024, dtype=FP16)))


# ---- attorch

def attorch(file, name):
    return use("attorch." + file, name)


@case("attorch", "elementwise math")
def attorch_elementwise():
    x = rand(4096, 4096, dtype=FP16, grad=True)
    for name in ("GELU", "SiLU", "Mish", "Tanh", "Hardswish"):
        both(lambda: attorch("act_layers", name)()(x))
    both(lambda: attorch("glu_layer", "GLU")()(x))
    both(lambda: attorch("dropout_layer", "Dropout")(0.3)(x))


@case("attorch", "norms")
def attorch_norms():
    x = rand(4096, 2048, dtype=FP32, grad=True)
    both(lambda: attorch("layer_norm_layer", "LayerNorm")(2048).to(DEVICE)(x))
    both(lambda: attorch("rms_norm_layer", "RMSNorm")(2048).to(DEVICE)(x))
    both(lambda: attorch("softmax_layers", "Softmax")(dim=-1)(x))
    both(lambda: attorch("batch_norm_layer", "BatchNorm2d")(64).to(DEVICE)(rand(32, 64, 56, 56, dtype=FP32,
                                                                                grad=True)))


@case("attorch", "row reductions")
def attorch_losses():
    x, t = rand(8192, 1000, dtype=FP32, grad=True), torch.randint(0, 1000, (8192,), device=DEVICE)
    both(lambda: attorch("cross_entropy_loss_layer", "CrossEntropyLoss")()(x, t))
    both(lambda: attorch("p_loss_layers", "MSELoss")()(rand(1 << 22, dtype=FP32, grad=True),
                                                       rand(1 << 22, dtype=FP32)))


@case("attorch", "products")
def attorch_products():
    with torch.autocast(DEVICE, enabled=False):
        both(lambda: attorch("linear_layer", "Linear")(1024, 1024, act_func="gelu").to(DEVICE)(
            rand(4096, 1024, dtype=FP32, grad=True)))
        both(lambda: attorch("conv_layer", "Conv2d")(64, 64, 3, padding=1).to(DEVICE)(
            rand(8, 64, 56, 56, dtype=FP32, grad=True)))


# ---- Mamba

def mamba(file, name):
    return use("mamba_ssm.ops.triton." + file, name)


@case("mamba", "small products")
def mamba_scan():
    b, t, h, p, n = 2, 4096, 16, 64, 128
    x, dt = rand(b, t, h, p, grad=True), torch.rand(b, t, h, device=DEVICE).to(BF16).requires_grad_()
    a = (-torch.rand(h, device=DEVICE) - 0.5).requires_grad_()
    both(lambda: mamba("ssd_combined", "mamba_chunk_scan_combined")(x, dt, a, rand(b, t, 1, n, grad=True),
                                                                    rand(b, t, 1, n, grad=True), 256))


@case("mamba", "norms")
def mamba_norms():
    x, w = rand(4096, 2048, grad=True), rand(2048, grad=True)
    both(lambda: mamba("layer_norm", "rms_norm_fn")(x, w, None))
    both(lambda: mamba("layernorm_gated", "rmsnorm_fn")(x, w, None, z=rand(4096, 2048, grad=True)))


@case("mamba", "recurrences")
def mamba_state():
    b, h, p, n = 64, 32, 64, 128
    mamba("selective_state_update", "selective_state_update")(
        rand(b, h, p, n, dtype=FP32), rand(b, h, p), rand(b, h, p), -torch.rand(h, p, n, device=DEVICE),
        rand(b, 1, n), rand(b, 1, n), rand(h, p), dt_bias=rand(h, p), dt_softplus=True)


# ---- flash-attention

def flash(file, name):
    return use("flash_attn.ops.triton." + file, name)


@case("flash_attn", "gathers and rotations")
def flash_rotary():
    x, angles = rand(2, 4096, 32, 128), torch.rand(4096, 64, device=DEVICE)
    for interleaved in (False, True):
        once(lambda: flash("rotary", "apply_rotary")(x, angles.cos().to(BF16), angles.sin().to(BF16),
                                                     interleaved=interleaved))


@case("flash_attn", "norms")
def flash_norms():
    x, w, b = rand(4096, 4096, grad=True), rand(4096, grad=True), rand(4096, grad=True)
    both(lambda: flash("layer_norm", "layer_norm_fn")(x, w, b))
    both(lambda: flash("layer_norm", "rms_norm_fn")(x, w, None,
                                                    residual=rand(4096, 4096, dtype=FP32, grad=True),
                                                    prenorm=True))
    both(lambda: flash("layer_norm", "layer_norm_fn")(x, w, b, dropout_p=0.1))


@case("flash_attn", "row reductions")
def flash_losses():
    labels = torch.randint(0, 32000, (2048,), device=DEVICE)
    both(lambda: flash("cross_entropy", "cross_entropy_loss")(rand(2048, 32000, grad=True), labels)[0])
    both(lambda: flash("cross_entropy", "cross_entropy_loss")(rand(2048, 32000, dtype=FP32, grad=True),
                                                              labels, label_smoothing=0.1)[0])


# ---- bitsandbytes

def bnb(name):
    return use("bitsandbytes.backends.triton.ops", name)


@case("bitsandbytes", "quantization")
def bnb_quantize():
    x = rand(4096, 4096)
    code = torch.linspace(-1, 1, 256, device=DEVICE)
    q, absmax = bnb("quantize_blockwise")(x, code, 256)
    once(lambda: bnb("dequantize_blockwise")(q, absmax, code, 256, BF16))
    for kind in ("nf4", "fp4"):
        q, absmax = bnb("quantize_4bit")(x, 64, kind, torch.uint8)
        once(lambda: bnb("dequantize_4bit")(q, absmax, 64, kind, x.shape, BF16))
    once(lambda: bnb("gemv_4bit")(rand(1, 4096), q, x.shape, absmax, torch.linspace(-1, 1, 16, device=DEVICE),
                                  64))


@case("bitsandbytes", "elementwise math")
def bnb_optimizers():
    n = 1 << 22
    p, g = rand(n), rand(n)
    for name in ("adam", "momentum", "lion", "rmsprop"):
        states = [rand(n, dtype=FP32).abs(), rand(n, dtype=FP32).abs() if name == "adam" else None]
        once(lambda: bnb("optimizer_update_32bit")(name, g, p, *states, None, 0.0, 0.0, 0.9, 0.99, 0.0, 0.0,
                                                   1e-8, 0.01, 3, 1e-3, 1.0))
    code = torch.linspace(-1, 1, 256, device=DEVICE)
    for name in ("adam", "momentum"):
        states = [torch.randint(0, 256, (n,), device=DEVICE, dtype=torch.uint8) for _ in range(2)]
        absmax = [rand(n // 256, dtype=FP32).abs() for _ in range(2)]
        if name != "adam":
            states[1] = absmax[1] = None
        once(lambda: bnb("optimizer_update_8bit_blockwise")(name, g, p, *states, 0.9, 0.99, 0.0, 0.0, 1e-8, 3,
                                                            1e-3, code,
                                                           code if name == "adam" else None, *absmax))


# ---- conch

def conch(file, name):
    return use("conch.ops." + file, name)


@case("conch", "elementwise math")
def conch_elementwise():
    x, scale = rand(4096, 16384), torch.ones(1, device=DEVICE)
    once(lambda: conch("activation.gelu_tanh_and_mul", "gelu_tanh_and_mul")(x))
    once(lambda: conch("activation.silu_and_mul", "silu_and_mul")(x))
    once(lambda: conch("quantization.fp8", "scaled_fp8_quant")(rand(4096, 8192), scale))
    once(lambda: conch("quantization.int8", "scaled_int8_quant")(rand(4096, 8192), scale))


@case("conch", "norms")
def conch_norms():
    x, w = rand(4096, 4096), rand(4096)
    once(lambda: conch("normalization.rms_norm", "rms_norm")(x, w, 1e-6))
    once(lambda: conch("normalization.rms_norm", "fused_add_rms_norm")(x, rand(4096, 4096), w, 1e-6))
    once(lambda: conch("normalization.gemma_rms_norm", "gemma_rms_norm")(x, w, 1e-6))


@case("conch", "gathers and rotations")
def conch_gathers():
    positions = torch.arange(4096, device=DEVICE)
    once(lambda: conch("embedding.rotary_embedding",
                       "rotary_embedding")(positions, rand(4096, 32 * 128), rand(4096, 8 * 128), 128,
                                           rand(8192, 128)))
    slots = torch.randperm(1024 * 32, device=DEVICE)[:4096]
    once(lambda: conch("vllm.reshape_and_cache", "reshape_and_cache")(rand(4096, 8, 128), rand(4096, 8, 128),
                                                                      rand(1024, 32, 8, 128),
                                                                     rand(1024, 32, 8, 128), slots))


@case("conch", "products")
def conch_products():
    a, b = (torch.randint(-100, 100, (2048, 2048), device=DEVICE, dtype=torch.int8) for _ in range(2))
    scales = torch.rand(2048, 1, device=DEVICE), torch.rand(2048, 1, device=DEVICE)
    once(lambda: conch("quantization.gemm", "scaled_gemm")(a, b.T, *scales, BF16))
    once(lambda: conch("quantization.gemm", "scaled_gemm")(rand(2048, 2048, dtype=FP8),
                                                           rand(2048, 2048, dtype=FP8).T, *scales, BF16))
    packed = torch.randint(0, 1 << 31, (4096 // 8, 4096), device=DEVICE, dtype=torch.int32)
    once(lambda: conch("quantization.gemm", "mixed_precision_gemm")(rand(512, 4096, dtype=FP16), packed,
                                                                    rand(32, 4096, dtype=FP16, scale=0.01),
                                                                    None, 4, 8, 128))


@case("conch", "attention by pointers")
def conch_attention():
    blocks, size, heads, d, length, batch = 1024, 32, 8, 128, 1024, 8
    cache = [rand(blocks, size, heads, d, scale=0.5) for _ in range(2)]
    table = torch.randperm(blocks, device=DEVICE).to(torch.int32)[:batch * length // size].reshape(batch, -1).contiguous()
    lengths = torch.full((batch,), length, device=DEVICE, dtype=torch.int32)
    once(lambda: conch("attention.paged_attention", "paged_attention")(rand(batch, 32, d, scale=0.5), *cache,
                                                                       table, lengths))
    starts = torch.arange(0, batch + 1, device=DEVICE, dtype=torch.int32) * length
    once(lambda: conch("attention.varlen_attention",
                       "varlen_attention")(rand(batch * length, 32, d, scale=0.5), *cache, starts, length,
                                           lengths,
                                                                        length, table, causal=True))


# ---- Triton's tutorials

def tutorial(prefix):
    here = [p for p in sys.path if os.path.isdir(os.path.join(p, "tutorials"))][0]
    file = next(f for f in sorted(os.listdir(os.path.join(here, "tutorials"))) if f.startswith(prefix))
    spec = importlib.util.spec_from_file_location("tutorial_" + prefix, os.path.join(here, "tutorials", file))
    module = importlib.util.module_from_spec(spec)
    # A tutorial runs its benchmarks and a few launches when it is imported; only its functions are wanted.
    import triton.testing
    kept, triton.testing.perf_report = triton.testing.perf_report, lambda *_: lambda f: type("Bench", (),
                                                                                             {"run": lambda *a, **k: None})()
    if recorder():
        recorder().busy = True
    try:
        spec.loader.exec_module(module)
    except (AssertionError, AttributeError, ImportError) as e:
        print(f"tutorial {prefix}: {e!r:.100}", file=sys.stderr)
    finally:
        triton.testing.perf_report = kept
        if recorder():
            recorder().busy = False
    return module


@case("tutorials", "elementwise math")
def tutorial_elementwise():
    once(lambda: tutorial("01").add(rand(1 << 22, dtype=FP32), rand(1 << 22, dtype=FP32)))
    m = tutorial("04")
    x = rand(1 << 22, dtype=FP32)
    once(lambda: m.seeded_dropout(x, 0.5, 123))


def configs(kernel, *settings):
    """Leaves a tuned kernel these configs: (stages, warps, values in the order of the names in its configs;
    more values are ignored)."""
    known = kernel.configs[0]
    names = list(known.kwargs)
    kernel.configs = [triton.Config({**known.kwargs, **dict(zip(names, values))}, num_stages=stages,
                                    num_warps=warps, pre_hook=known.pre_hook)
                      for stages, warps, *values in settings]


def attention_configs(kernel, d, special=False):
    """Leaves configs that suit an H200. For warp_specialize, all have 4 warps: in others, Triton ignores the
    hint."""
    wide = [(2, 8, 128, 128), (3, 8, 128, 128)] if d == 128 and not special else []
    configs(kernel, *wide, (2, 4, 128, 64), (3, 4, 128, 64), (4, 4, 128, 64))


def attention_inputs(length, d, dtype=FP16, grad=False):
    q, k, v = (rand(1, 131072 // length, length, d, dtype=FP16, grad=grad, scale=0.5) for _ in range(3))
    if dtype != FP16:  # as in the tutorial's own benchmark
        q, k, v = q.to(dtype), k.to(dtype), v.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2).to(dtype)
    return q, k, v


@case("tutorials", "attention with descriptors")
def tutorial_attention():
    m = tutorial("06")
    for length, d, causal in itertools.product((1024, 4096, 16384), (64, 128), (False, True)):
        attention_configs(m._attn_fwd, d)
        once(lambda: m.attention(*attention_inputs(length, d), causal, d**-0.5, False))


@case("tutorials", "attention, backward")
def tutorial_attention_backward():
    m = tutorial("06")
    for length, d in itertools.product((1024, 4096, 16384), (64, 128)):
        configs(m._attn_fwd, (3, 4, 128, 64))
        both(lambda: m.attention(*attention_inputs(length, d, grad=True), True, d**-0.5, False))


@case("tutorials", "attention with descriptors, fp8")
def tutorial_attention_fp8():
    m = tutorial("06")
    for length, d, causal in itertools.product((1024, 4096, 16384), (64, 128), (False, True)):
        attention_configs(m._attn_fwd, d)
        once(lambda: m.attention(*attention_inputs(length, d, torch.float8_e5m2), causal, d**-0.5, False))


@case("tutorials", "attention, warp_specialize")
def tutorial_attention_special():
    m = tutorial("06")
    for length, d, dtype in itertools.product((1024, 4096, 16384), (64, 128), (FP16, torch.float8_e5m2)):
        attention_configs(m._attn_fwd, d, special=True)
        once(lambda: m.attention(*attention_inputs(length, d, dtype), False, d**-0.5, True))


def persistent(shape, dtype, special):
    """Launches the products of tutorial 09 with the configs that Triton's tuner chooses between on an
    H200."""
    m, (rows, columns, k) = tutorial("09"), shape
    a, b = rand(rows, k, dtype=dtype), rand(columns, k, dtype=dtype)
    depth = 64 if dtype == FP16 else 128
    large, small = (8, 128, 256, depth, 8), (4, 4, 128, 128, depth, 8, False)
    kernels = m.matmul_kernel_tma_persistent, m.matmul_kernel_descriptor_persistent
    if special:  # Triton heeds the hint in programs of 4 warps, and cannot compile matmul_kernel_tma with it for Hopper
        for kernel, f in zip(kernels, (m.matmul_tma_persistent, m.matmul_descriptor_persistent)):
            configs(kernel, (3, 4, *large[1:], False), small)
            once(lambda: f(a, b, True))
        return
    for kernel in (m.matmul_kernel, m.matmul_kernel_persistent, m.matmul_kernel_tma, *kernels):
        configs(kernel, (3, *large, False), (4, *large, True), small)
    for f, args in ((m.matmul, (a, b.T)), (m.matmul_tma, (a, b, False)), (m.matmul_persistent, (a, b.T)),
                    (m.matmul_tma_persistent, (a, b, False)), (m.matmul_descriptor_persistent,
                                                               (a, b, False))):
        once(lambda: f(*args))


@case("tutorials", "products with descriptors")
def tutorial_persistent():
    for dtype in (FP16, FP8):
        persistent((4096, 4096, 4096), dtype, special=False)


@case("tutorials", "products with descriptors, K=512")
def tutorial_persistent_short():
    for dtype in (FP16, FP8):
        persistent((8192, 8192, 512), dtype, special=False)


@case("tutorials", "products, warp_specialize")
def tutorial_persistent_special():
    for dtype, k in itertools.product((FP16, FP8), (4096, 512)):
        persistent((4096 if k == 4096 else 8192,) * 2 + (k,), dtype, special=True)


@case("tutorials", "products with descriptors, few stages")
def tutorial_persistent_shallow():
    """Persistent products with configs that a tuner does not choose on an H200, each on its own, and sizes
    that no tile divides."""
    m = tutorial("09")
    small, large, short = (128, 128, 64, 8), (128, 256, 64, 8), (64, 128, 64, 4)
    for dtype, (rows, columns, k) in ((FP16, (4096, 2048, 2048)), (FP8, (4096, 2048, 2048)),
                                      (FP16, (3000, 4112, 1040))):
        a, b = rand(rows, k, dtype=dtype), rand(columns, k, dtype=dtype)
        for config in ((2, 4, *small, False), (3, 4, *small, True), (2, 8, *large, False),
                       (3, 8, *large, True), (3, 4, *short, False)):
            for kernel, f, args in ((m.matmul_kernel_persistent, m.matmul_persistent, (a, b.T)),
                                    (m.matmul_kernel_tma_persistent, m.matmul_tma_persistent, (a, b, False)),
                                    (m.matmul_kernel_descriptor_persistent, m.matmul_descriptor_persistent,
                                     (a, b, False))):
                configs(kernel, config)
                once(lambda: f(*args))


@case("tutorials", "attention with descriptors, other tiles")
def tutorial_attention_tiles():
    m = tutorial("06")
    for d, dtype, special in itertools.product((64, 128), (FP16, torch.float8_e5m2), (False, True)):
        for config in ((3, 4, 128, 32), (4, 4, 64, 64), (3, 4, 64, 32)):
            configs(m._attn_fwd, config)
            once(lambda: m.attention(*attention_inputs(4096, d, dtype), False, d**-0.5, special))


@case("tutorials", "products")
def tutorial_products():
    m = tutorial("03")
    for rows, columns, k in ((1024,) * 3, (4096,) * 3, (2048, 11008, 4096)):
        m.matmul(rand(rows, k, dtype=FP16), rand(k, columns, dtype=FP16))


@case("tutorials", "products of groups")
def tutorial_groups():
    m = tutorial("08")
    sms = m.num_sms()
    configs(m.grouped_matmul_kernel, *((3, 4, x, y, z, sms) for x, y,
                                       z in ((128, 128, 64), (64, 128, 64), (128, 128, 32))))
    for rows, columns, k in ((1024, 1024, 1024), (1024, 4096, 4096), (768, 2304, 1536)):
        many = [(rand(rows, k, dtype=FP16), rand(k, columns, dtype=FP16)) for _ in range(4)]
        once(lambda: m.group_gemm_fn([a for a, _ in many], [b for _, b in many]))
        for dtype in (FP16, FP8):
            depth = 64 if dtype == FP16 else 128
            configs(m.grouped_matmul_tma_kernel, (3, 8, 128, 256, depth), (4, 4, 128, 128, depth))
            once(lambda: m.group_gemm_tma_fn([a.to(dtype) for a, _ in many],
                                             [b.T.contiguous().to(dtype) for _, b in many]))


@case("tutorials", "row reductions")
def tutorial_rows():
    tutorial("02").softmax(rand(4096, 4096, dtype=FP32))
    m = tutorial("05")
    w, b = rand(4096, dtype=FP16, grad=True), rand(4096, dtype=FP16, grad=True)
    both(lambda: m.layer_norm(rand(4096, 4096, dtype=FP16, grad=True), (4096,), w, b, 1e-5))


def main(cases):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append",
                        help="libraries to launch: " + ", ".join(dict.fromkeys(c[0] for c in cases)))
    parser.add_argument("--case", action="append", help="functions of this file to run")
    parser.add_argument("--share", metavar="I/N", default="0/1",
                        help="run every Nth case, from the Ith on: for processes that share the work")
    args = parser.parse_args()
    first, step = map(int, args.share.split("/"))
    torch.manual_seed(0)
    named = {f.__name__: (library, kind, f) for library, kind, f in cases}
    chosen = [named[c] for c in args.case] if args.case else [
        c for c in cases if not args.only or c[0] in args.only]
    for library, kind, f in chosen[first::step]:
        if recorder():
            recorder().kind = kind
        start = time.time()
        try:
            f()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
                torch.cuda.empty_cache()
            note = "ok"
        except Exception as e:
            note = f"failed: {e!r:.300}"
        print(f"{library} {f.__name__}: {note}, {time.time() - start:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(CASES)
