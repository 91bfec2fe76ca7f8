"""Launches kernels of the libraries of libraries.py that it does not have, and Triton's tutorials at other
sizes and types:

  capture.py --time --out CASES --root LIBRARIES --max-bytes 200000000 --configs 2 further_libraries.py
      [--only LIBRARY]... [--case NAME]...

A second selection shows what was made for the first one alone. LIBRARIES is laid out as libraries.py says.
"""
import torch
import torch.nn.functional as F

import libraries
from libraries import (B, BF16, DEVICE, FP8, FP16, FP32, H, K, T, attorch, both, conch, fla, flash, gems,
                       heads, liger, logsigmoid, mamba, once, rand, tutorial, use)

CASES = []


def case(library, kind):
    """Registers a function as a case: it launches kernels of a library that belong to a class."""
    def register(f):
        CASES.append((library, kind, f))
        return f
    return register


def ints(below, *shape, dtype=torch.int32):
    return torch.randint(0, below, shape, device=DEVICE, dtype=dtype)


def unit(*shape, grad=True):
    """Vectors of length 1."""
    return F.normalize(rand(*shape, dtype=FP32), dim=-1).to(BF16).detach().requires_grad_(grad)


def part(*shape, dtype=BF16, grad=False):
    """Numbers between 0 and 1."""
    return torch.rand(*shape, device=DEVICE).to(dtype).requires_grad_(grad)


def ops(module, name):
    return use("fla.ops." + module, name)


# ---- flash-linear-attention

@case("fla", "small products")
def fla_products():
    q, _, v = heads()
    keys = lambda t=T: unit(B, t, H, K)
    both(lambda: fla("chunk_dplr_delta_rule")(q, keys(), v, keys(), keys(),
                                              logsigmoid(B, T, H, K, grad=True)))
    both(lambda: ops("gated_delta_product", "chunk_gated_delta_product")(q, keys(2 * T),
                                                                         rand(B, 2 * T, H, K, grad=True),
                                                                         logsigmoid(B, T, H, grad=True),
                                                                         part(B, 2 * T, H, grad=True), 2))


@case("fla", "small products")
def fla_rules():
    q, _, v = heads()
    gate = lambda: part(B, T, H, K, grad=True)
    both(lambda: ops("gated_oja_rule", "chunk_gated_oja_rule")(q, unit(B, T, H, K), v,
                                                               logsigmoid(B, T, H, K, grad=True),
                                                               part(B, T, H, grad=True)))
    both(lambda: ops("gdn2", "chunk_gdn2")(q, unit(B, T, H, K), v, logsigmoid(B, T, H, K, grad=True), gate(),
                                           gate()))


@case("fla", "small products")
def fla_states():
    q, k, v = heads()
    norm = lambda: rand(H, K, dtype=FP32, grad=True)
    for name in ("chunk_ttt_linear", "fused_chunk_ttt_linear"):
        both(lambda: ops("ttt", name)(q, k, v, norm(), norm(), part(B, T, H, 1, grad=True)))
    both(lambda: fla("fused_chunk_based")(*heads(16, n=2), v))
    both(lambda: fla("fused_chunk_retention")(q, k, v))
    both(lambda: fla("fused_chunk_simple_gla")(q, k, v, logsigmoid(B, T, H, grad=True)))


@case("fla", "small products")
def fla_wide_heads():
    q, v = (rand(B, 1024, H, 128, grad=True, scale=0.5) for _ in range(2))
    both(lambda: fla("chunk_gated_delta_rule")(q, unit(B, 1024, H, 128), v, logsigmoid(B, 1024, H, grad=True),
                                               part(B, 1024, H, grad=True)))
    both(lambda: fla("chunk_gla")(q, q, v, logsigmoid(B, 1024, H, 128, grad=True)))


@case("fla", "attention by pointers")
def fla_parallel():
    q, k, v = heads()
    both(lambda: fla("parallel_simple_gla")(q, k, v, logsigmoid(B, T, H, grad=True)))
    both(lambda: fla("parallel_stickbreaking_attn")(q, k, v))
    both(lambda: fla("parallel_parallax")(q, rand(B, T, H, K, grad=True), k, v))
    both(lambda: ops("rebased", "parallel_rebased")(*heads(16, n=2), v))


@case("fla", "recurrences")
def fla_steps():
    q, k, v = heads()
    both(lambda: fla("fused_recurrent_delta_rule")(q, unit(B, T, H, K), v, part(B, T, H, grad=True)))
    both(lambda: fla("fused_recurrent_simple_gla")(q, k, v, logsigmoid(B, T, H, grad=True)))
    both(lambda: fla("fused_recurrent_retention")(q, k, v))
    both(lambda: ops("hgrn", "chunk_hgrn")(rand(8, T, 1024, grad=True),
                                           logsigmoid(8, T, 1024, dtype=BF16, grad=True)))


@case("fla", "elementwise math")
def fla_gates():
    wide = lambda *shape: rand(4, 2048, *(shape or (1024,)), grad=True)
    both(lambda: ops("rwkv7.fused_addcmul", "fused_addcmul_rwkv7")(wide(), wide(),
                                                                   *(rand(1, 1, 1024, grad=True)
                                                                     for _ in range(6))))
    both(lambda: ops("rwkv7.fused_k_update", "fused_k_rwkv7")(wide(), part(4, 2048, 1024, grad=True),
                                                              rand(1024, grad=True)))
    both(lambda: ops("rwkv7.gate_output_correction",
                     "gate_output_correction")(wide(), wide(16, 64), wide(16, 64), rand(16, 64, grad=True),
                                               wide(16, 64), wide()))


@case("fla", "row reductions")
def fla_rows():
    once(lambda: ops("utils.softmax", "softmax_fwd")(rand(8192, 64)))
    once(lambda: ops("utils.logsumexp", "logsumexp_fwd")(rand(4096, 8192)))
    both(lambda: ops("utils.pooling", "mean_pooling")(rand(4, 4096, 8, 64, grad=True), 64))
    for size in (16, 32, 64):
        once(lambda: ops("utils.solve_tril", "solve_tril")(torch.tril(rand(4, 2048, 8, size, dtype=FP32,
                                                                           scale=0.05), -1)))


# ---- FlagGems

@case("flag_gems", "elementwise math")
def gems_one():
    x = rand(2048, 4096, dtype=FP16)
    for name in ("angle", "atan", "ceil", "celu", "cosh", "expm1", "hardsigmoid", "isfinite", "log_sigmoid",
                 "nan_to_num", "neg", "relu6", "selu", "signbit", "softshrink", "tan"):
        once(lambda: gems(name)(x))
    for name in ("logit", "sqrt", "log10", "acos"):
        once(lambda: gems(name)(part(2048, 4096, dtype=FP16)))


@case("flag_gems", "elementwise math")
def gems_two():
    x, y = rand(2048, 4096), rand(2048, 4096)
    for name in ("atan2", "copysign", "hypot", "ge", "logical_and", "isclose", "remainder"):
        once(lambda: gems(name)(x, y))
    once(lambda: gems("addcdiv")(x, y, y.abs() + 1))
    once(lambda: gems("lerp_tensor")(x, y, x))
    once(lambda: gems("pow_tensor_scalar")(x.abs(), 2.5))
    once(lambda: gems("glu")(x, -1))
    once(lambda: gems("dropout")(x, 0.5, True))


@case("flag_gems", "row reductions")
def gems_rows():
    x = rand(4096, 4096, dtype=FP16)
    once(lambda: gems("aminmax")(x, dim=1, keepdim=False))
    once(lambda: gems("count_nonzero")(x, 1))
    once(lambda: gems("var")(rand(4096, 4096, dtype=FP32), [1]))
    once(lambda: gems("softmax")(rand(4096, 8192), -1))
    once(lambda: gems("softmax_backward")(part(4096, 4096), rand(4096, 4096), -1, BF16))
    once(lambda: gems("amax")(x, [0]))
    once(lambda: gems("argmax")(rand(64, 32000), -1))
    once(lambda: gems("scaled_softmax_forward")(rand(2, 16, 1024, 1024, dtype=FP16), 0.125))
    once(lambda: gems("log_softmax")(rand(512, 128256), -1))
    once(lambda: gems("cummin")(rand(1024, 4096, dtype=FP32), 1))


@case("flag_gems", "gathers and rotations")
def gems_places():
    x = rand(4096, 2048, dtype=FP16)
    once(lambda: gems("select_scatter")(x, rand(4096, dtype=FP16), 1, 5))
    once(lambda: gems("slice_scatter")(x, rand(2048, 2048, dtype=FP16), 0, 0, 4096, 2))
    once(lambda: gems("repeat_interleave_self_int")(rand(2048, 1024, dtype=FP16), 4, 0))
    once(lambda: gems("isin")(ints(10000, 1 << 20, dtype=torch.int64), ints(10000, 512, dtype=torch.int64)))
    once(lambda: gems("t_copy")(x))
    once(lambda: gems("vstack")([x, x]))
    once(lambda: gems("upsample_linear1d")(rand(16, 64, 4096, dtype=FP32), (8192,), False))


@case("flag_gems", "products")
def gems_more_mm():
    for dtype in (FP16, BF16):
        for rows in (16, 1024):
            once(lambda: gems("mm")(rand(rows, 4096, dtype=dtype), rand(4096, 4096, dtype=dtype)))
        once(lambda: gems("bmm")(rand(32, 256, 128, dtype=dtype), rand(32, 128, 256, dtype=dtype)))
    scale = lambda *shape: torch.rand(*shape, device=DEVICE) * 0.01
    once(lambda: gems("w8a8_block_fp8_matmul")(rand(1024, 2048, dtype=FP8), rand(2048, 2048, dtype=FP8),
                                               scale(1024, 16), scale(16, 16), [128, 128]))


# ---- Liger, attorch, Mamba, flash-attention, conch

@case("liger", "norms")
def liger_sizes():
    for rows, columns in ((2048, 8192), (65536, 128)):
        both(lambda: liger("rms_norm", "LigerRMSNormFunction")(rand(rows, columns, grad=True),
                                                               rand(columns, grad=True), 1e-6, 0.0, "llama",
                                                               False))
    both(lambda: liger("swiglu", "LigerSiLUMulFunction")(*(rand(2048, 11008, dtype=FP32, grad=True)
                                                           for _ in range(2))))
    both(lambda: liger("softmax", "LigerSoftmaxFunction")(rand(4096, 8192, grad=True)))


@case("attorch", "elementwise math")
def attorch_activations():
    x = rand(2048, 4096, dtype=FP32, grad=True)
    for name in ("Sigmoid", "ReLU", "ReLU6", "Hardsigmoid", "SELU"):
        both(lambda: attorch("act_layers", name)()(x))


@case("mamba", "small products")
def mamba_types():
    b, t, h, p, n = 2, 2048, 16, 64, 64
    for dtype in (FP16, FP32):
        state = lambda: rand(b, t, 1, n, dtype=dtype)
        once(lambda: mamba("ssd_combined", "mamba_chunk_scan_combined")(
            rand(b, t, h, p, dtype=dtype), part(b, t, h, dtype=dtype), -part(h, dtype=FP32) - 0.5, state(),
            state(), 128, D=rand(h, dtype=FP32), z=rand(b, t, h, p, dtype=dtype), dt_bias=rand(h, dtype=FP32),
            dt_softplus=True))


@case("flash_attn", "gathers and rotations")
def flash_types():
    angles = torch.rand(2048, 32, device=DEVICE)
    for dtype in (FP16, FP32):
        once(lambda: flash("rotary", "apply_rotary")(rand(4, 2048, 16, 64, dtype=dtype),
                                                     angles.cos().to(dtype), angles.sin().to(dtype)))


@case("conch", "products")
def conch_few_rows():
    packed = ints(1 << 30, 4096 // 8, 4096)
    for rows in (1, 16, 128):
        once(lambda: conch("quantization.gemm", "mixed_precision_gemm")(rand(rows, 4096, dtype=FP16), packed,
                                                                        rand(32, 4096, dtype=FP16, scale=0.01), None, 4, 8, 128))


# ---- Triton's tutorials

@case("tutorials", "products")
def tutorial_sizes():
    m = tutorial("03")
    for rows, columns, k in ((512, 512, 512), (1000, 1500, 800), (64, 4096, 4096), (4096, 4096, 256)):
        once(lambda: m.matmul(rand(rows, k, dtype=FP16), rand(k, columns, dtype=FP16),
                              activation="leaky_relu"))


@case("tutorials", "row reductions")
def tutorial_lengths():
    softmax, norm = tutorial("02").softmax, tutorial("05").layer_norm
    for rows, columns, dtype in ((4096, 781, FP32), (4096, 1024, FP16), (1823, 12672, FP32),
                                 (8192, 256, BF16)):
        once(lambda: softmax(rand(rows, columns, dtype=dtype)))
    for rows, columns, dtype in ((4096, 1024, FP16), (4096, 2048, FP32), (1151, 5120, BF16)):
        weights = [rand(columns, dtype=dtype, grad=True) for _ in range(2)]
        both(lambda: norm(rand(rows, columns, dtype=dtype, grad=True), (columns,), *weights, 1e-5))


if __name__ == "__main__":
    libraries.main(CASES)
