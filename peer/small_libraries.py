"""Calls the functions of public Triton libraries with small made-up inputs, for `dry.py` to record:

  dry.py --out CASES --root LIBRARIES small_libraries.py [--only LIBRARY]... [--dtype fp16|bf16|fp32]

LIBRARIES is laid out as for libraries.py, which has the same calls at the sizes of use. A call that fails is
named on standard error and left out. Where a library has hundreds of functions (flash-linear-attention,
FlagGems), arguments are found by the names of parameters, or by trying.
"""
import argparse
import inspect
import sys

import torch

import libraries
from libraries import BF16, FP16, FP32, FP8, both, mamba, once, rand, tutorial, use

DEVICE = "cuda"
CASES = []
KIND = FP32  # of elements where a function takes any


def case(library):
    def register(f):
        CASES.append((library, f))
        return f
    return register


def ints(*shape, most=2, dtype=torch.int64):
    return torch.randint(0, most, shape, device=DEVICE, dtype=dtype)


def grad(*shape, dtype=None, scale=1.0):
    return rand(*shape, dtype=dtype or KIND, grad=True, scale=scale)


def unit(*shape):
    """Numbers between 0 and 1."""
    return torch.rand(*shape, device=DEVICE)


# ---- Liger

@case("liger")
def liger_all():
    f = libraries.liger
    a, b, w = grad(6, 300), grad(6, 300), grad(300)
    both(lambda: f("swiglu", "LigerSiLUMulFunction")(a, b))
    both(lambda: f("geglu", "LigerGELUMulFunction")(a, b))
    both(lambda: f("relu_squared", "LigerReLUSquaredFunction")(a))
    both(lambda: f("dyt", "LigerDyTFunction")(a, grad(1), w, w))
    for mode in ("llama", "gemma", "none"):
        both(lambda: f("rms_norm", "LigerRMSNormFunction")(a, w, 1e-6, 0.0, mode, False))
    both(lambda: f("rms_norm", "LigerRMSNormFunction")(grad(40, 96), grad(96), 1e-6, 0.0, "llama", False))
    both(lambda: f("layer_norm", "LigerLayerNormFunction")(a, w, w, 1e-6))
    both(lambda: f("fused_add_rms_norm", "LigerFusedAddRMSNormFunction")(a, b, w, 1e-6))
    both(lambda: f("modulated_rms_norm", "LigerModulatedRMSNormFunction")(a, w, grad(6, 300), grad(6, 300),
                                                                          1e-6))
    both(lambda: f("poly_norm", "LigerPolyNormFunction")(a, grad(3), grad([])))
    both(lambda: f("group_norm", "LigerGroupNormFunction")(grad(2, 8, 100), grad(8), grad(8), 8, 2, 1e-6))
    both(lambda: f("softmax", "LigerSoftmaxFunction")(a))
    both(lambda: f("softmax", "LigerSoftmaxFunction")(grad(3, 5000)))
    both(lambda: f("sparsemax", "LigerSparsemaxFunction")(rand(6, 200, dtype=FP32, grad=True), -1))
    q, k = grad(1, 4, 16, 32), grad(1, 2, 16, 32)
    both(lambda: f("rope", "LigerRopeFunction")(q, k, rand(1, 16, 32, dtype=KIND),
                                                rand(1, 16, 32, dtype=KIND)))
    both(lambda: f("qwen2vl_mrope", "LigerQwen2VLMRopeFunction")(q, k, rand(3, 1, 16, 32, dtype=KIND),
                                                                 rand(3, 1, 16, 32, dtype=KIND), [4, 6, 6]))
    both(lambda: f("llama4_rope", "LigerLlama4RopeFunction")(grad(1, 16, 4, 32), grad(1, 16, 2, 32),
                                                             torch.polar(unit(16, 16), unit(16, 16))))
    both(lambda: f("attn_res", "LigerAttnResFunction")(grad(3, 2, 8, 64), grad(64), grad(64), 1e-6))
    both(lambda: f("multi_token_attention",
                   "LigerMultiTokenAttentionFunction")(grad(1, 2, 16, 16), grad(2, 2, 3, 3), None, 1, 1))
    both(lambda: f("fused_neighborhood_attention",
                   "LigerFusedNeighborhoodAttentionFunction")(*(grad(1, 2, 32, 32) for _ in range(3)), 5, 1,
                                                              0.2))


@case("liger")
def liger_losses():
    f = libraries.liger
    x, target = grad(6, 500), ints(6, most=500)
    both(lambda: f("cross_entropy", "LigerCrossEntropyFunction")(x, target, None)[0])
    both(lambda: f("cross_entropy", "LigerCrossEntropyFunction")(x, target, unit(500), -100, 1e-4, 0.1, "sum",
                                                                 30.0)[0])
    both(lambda: f("fused_ce_tvd", "LigerFusedCETVDFunction")(x, rand(6, 500, dtype=KIND), target)[0])
    p, q = (rand(6, 300, dtype=FP32).log_softmax(-1) for _ in range(2))
    p.requires_grad_()
    for reduction in ("batchmean", "none"):
        both(lambda: f("kl_div", "LigerKLDivLossFunction")(p, q.exp(), reduction))
    for beta in (0.5, 0.0, 1.0):
        both(lambda: f("jsd", "LigerJSDFunction")(p, q, None, beta))
    both(lambda: f("tvd", "LigerTVDLossFunction")(p.detach().exp().requires_grad_(), q.exp()))
    both(lambda: f("fused_linear_cross_entropy",
                   "LigerFusedLinearCrossEntropyFunction")(grad(8, 64), grad(300, 64), ints(8, most=300))[0])
    both(lambda: f("fused_linear_jsd", "LigerFusedLinearJSDFunction")(grad(8, 64), grad(300, 64),
                                                                      rand(8, 64, dtype=KIND),
                                                                      rand(300, 64, dtype=KIND)))
    both(lambda: f("grpo_loss", "GrpoLossFunction")(grad(2, 9, 200), rand(2, 8, dtype=FP32),
                                                    rand(2, 8, dtype=FP32), ints(2, 8, most=200),
                                                   unit(2), torch.ones(2, 8, device=DEVICE,
                                                                       dtype=torch.int32), 0.9, 0.04, 0.2,
                                                    0.2, False)[0])


@case("liger")
def liger_moe():
    t, h, e, i, k = 32, 64, 4, 32, 2
    index = torch.stack([torch.randperm(e, device=DEVICE)[:k] for _ in range(t)]).int()
    both(lambda: libraries.liger("fused_moe", "LigerFusedMoEFunction")(grad(t, h, dtype=BF16),
                                                                       grad(e, 2 * i, h, dtype=BF16),
                                                                       grad(e, h, i, dtype=BF16),
                                                                      index, grad(t, k, dtype=BF16)))


# ---- flash-linear-attention: arguments by the names of parameters

B, T, H, K = 1, 80, 2, 32


def fla_arguments():
    head, gate = lambda: grad(B, T, H, K, scale=0.5), lambda *s: libraries.logsigmoid(*s, dtype=FP32, grad=True)
    norm = lambda: torch.nn.functional.normalize(rand(B, T, H, K, dtype=FP32), dim=-1).to(KIND).requires_grad_()
    return {
        "q": head, "k": norm, "v": head, "r": head, "x": lambda: grad(B, T, 64),
        "s": lambda: grad(B, T, H, 16), "w": lambda: gate(B, T, H, K).detach().to(KIND).requires_grad_(),
        "g": lambda: gate(B, T, H), "gk": lambda: gate(B, T, H, K),
        "beta": lambda: unit(B, T, H).to(KIND).requires_grad_(), "p": norm, "a": norm, "b": norm,
        "u": lambda: grad(H, K), "g_gamma": lambda: gate(H),
        "lamb": lambda: unit(H, K).add(0.25).requires_grad_(), "alpha": norm,
        "eta": lambda: unit(B, T, H, 1).requires_grad_(),
        "level_scales": lambda: unit(B, T, H, 8).requires_grad_(), "num_householder": lambda: 1,
        "layer_idx": lambda: 1, "num_layers": lambda: 4,
    }


@case("fla")
def fla_ops():
    ops = use("fla", "ops")
    for name in ops.__all__:
        f = getattr(ops, name)
        for vector in (False, True):  # a gate may be one number for each head, or one for each channel
            made = fla_arguments()
            made["g"] = made["gk"] if vector else made["g"]
            need = [p.name for p in inspect.signature(f).parameters.values()
                    if p.default is inspect.Parameter.empty
                    and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
            named = {n: made[n]() for n in need + [n for n in ("g", "beta")
                                                   if n in inspect.signature(f).parameters] if n in made}
            both(lambda: f(**named))


@case("fla")
def fla_more():
    hgrn = grad(2, 64, 128), libraries.logsigmoid(2, 64, 128, dtype=KIND, grad=True)
    both(lambda: use("fla.ops.hgrn", "fused_recurrent_hgrn")(*hgrn))
    both(lambda: use("fla.ops.hgrn", "chunk_hgrn")(*hgrn))
    h = lambda: grad(B, T, H, K, scale=0.5)
    both(lambda: use("fla.ops.rwkv4", "fused_recurrent_rwkv4")(unit(64), unit(64), grad(2, 16, 64),
                                                               grad(2, 16, 64),
                                                               rand(2, 3, 1, 64, dtype=FP32)))
    both(lambda: use("fla.ops.ttt", "chunk_ttt_linear")(h(), h(), h(), grad(H, K), grad(H, K),
                                                        unit(B, T, H, 1).to(KIND).requires_grad_(),
                                                        chunk_size=16))
    both(lambda: use("fla.ops.rebased", "parallel_rebased")(h(), h(), h()))
    for reverse in (False, True):
        for g in (rand(2, 100, 4, dtype=FP32), rand(2, 100, 2, 32, dtype=FP32)):
            once(lambda: use("fla.ops.utils", "chunk_local_cumsum")(g, 32, reverse=reverse))
            once(lambda: use("fla.ops.utils", "chunk_global_cumsum")(g, reverse=reverse))
    x = rand(6, 200, dtype=KIND)
    for name in ("logsumexp_fwd", "softmax_fwd"):
        once(lambda: use("fla.ops.utils", name)(x))
    once(lambda: use("fla.ops.utils", "softmax_bwd")(x, x, KIND))
    once(lambda: use("fla.ops.utils", "mean_pooling")(rand(2, 64, 2, 32, dtype=KIND), 16))
    once(lambda: use("fla.ops.utils", "solve_tril")(rand(1, 64, 2, 64, dtype=FP32).tril(-1) * 0.1))
    lengths = torch.tensor([0, 30, 80], device=DEVICE)
    both(lambda: use("fla.ops", "chunk_gla")(*(grad(1, 80, H, K, scale=0.5) for _ in range(3)),
                                             libraries.logsigmoid(1, 80, H, K, grad=True),
                                             cu_seqlens=lengths))


@case("fla")
def fla_modules():
    x, w, b = grad(6, 200), grad(200), grad(200)
    m = lambda file, name: use("fla.modules." + file, name)
    both(lambda: m("norm.layernorm", "rms_norm")(x, w, None))
    both(lambda: m("norm.layernorm", "layer_norm")(x, w, b))
    both(lambda: m("norm.layernorm", "group_norm")(x, w, b, num_groups=4))
    both(lambda: m("norm.l2norm", "l2norm")(grad(2, 6, 4, 64)))
    for act in ("swish", "sigmoid"):
        both(lambda: m("norm.fused_norm_gate", "rms_norm_gated")(x, grad(6, 200), w, None, act))
        both(lambda: m("norm.fused_norm_gate", "layer_norm_gated")(x, grad(6, 200), w, b, act))
    for name in ("sigmoid", "logsigmoid", "swish", "elu_p1"):
        both(lambda: m("activations.ops", name)(x))
    for name in ("swiglu", "sigmoidglu", "powglu"):
        both(lambda: m("activations.ops", name)(x, grad(6, 200)))
    both(lambda: m("causal_conv1d", "causal_conv1d")(grad(2, 40, 64), grad(64, 4), activation="silu")[0])
    both(lambda: m("token_shift", "token_shift")(grad(2, 20, 64)))
    both(lambda: m("rotary.ops", "rotary_embedding")(grad(2, 20, 2, 64), unit(20, 32), unit(20, 32)))
    both(lambda: m("fused_cross_entropy", "cross_entropy_loss")(grad(6, 300), ints(6, most=300))[0])
    both(lambda: m("fused_cross_entropy.ops", "cross_entropy_loss")(grad(6, 300), ints(6, most=300))[0])
    both(lambda: m("fused_kl_div.ops", "fused_kl_div_loss")(grad(8, 64), rand(8, 64, dtype=KIND),
                                                            grad(200, 64), rand(200, 64, dtype=KIND)))
    both(lambda: m("fused_linear_cross_entropy.ops",
                   "fused_linear_cross_entropy_loss")(grad(8, 64), ints(8, most=200), grad(200, 64)))
    both(lambda: m("fused_bitlinear", "layer_norm_linear_quant_fn")(x, w, None, grad(64, 200), None))
    once(lambda: m("grpo.ops", "fused_grpo_loss")(grad(2, 9, 200), rand(2, 8, dtype=FP32),
                                                  ints(2, 8, most=200), unit(2)))


# ---- FlagGems: arguments by trying

def gems_patterns():
    """Arguments of the usual functions of tensors; the first ones that a function takes are its case."""
    m = lambda *s: rand(*s, dtype=KIND)
    a, b, n = m(6, 40).abs().add(0.1), m(6, 40).abs().add(0.1), ints(6, 40, most=5, dtype=torch.int32)
    mask, image, row = unit(6, 40) > 0.5, m(2, 4, 12, 12), m(40)
    return [
        (a,), (a, b), (a, 0.5), (n,), (n, n), (n, 1), (a, -1), (a, [1]), (a, 1, ints(6, 20, most=40)),
        (a, b, b), (mask,), (mask, mask), (mask, a, b), (mask, a, 0.5), (mask, 0.5, b), (a, mask, 0.5),
        (a, b, 0.5), (a, 0.2, 0.8), (a, [40]), (a, (40,), row, row), (a, (40,), row), (m(32, 48), m(48, 32)),
        (m(2, 32, 48), m(2, 48, 32)), (m(2, 32, 48), m(2, 48, 32), m(2, 32, 32)),
        (m(2, 32, 32), m(2, 32, 48), m(2, 48, 32)), (row, m(40, 40)), (m(40, 40), row), (row, row),
        (m(64), m(32, 48), m(48, 64)), (a, 0, ints(3, most=6)), (a, 1, ints(6, 20, most=40), m(6, 20)),
        (image,), (image, [3, 3]), (image, 3), (image, (20, 20)), (image, (1, 1, 1, 1)),
        (image, m(8, 4, 3, 3)), (m(2, 4, 20), m(8, 4, 3)), (m(1, 4, 6, 6, 6), m(8, 4, 3, 3, 3)),
        (m(2, 4, 20), (1, 1)), (m(2, 4, 20), (40,)), (m(2, 4, 20), [40], False), (image, [20, 20], False),
        ([a, b],), ((a, b), 1), (a, [2, 3]), (a, a, -1, KIND), (a, b, -1), ((6, 40),), (40,), (5, 6),
        (a, 6, 40), (a, ints(6, most=40)), (a, ints(6, most=40), None, 1, -100),
        (m(40, 16), ints(6, most=40)), (a, 3), (a, 0.5, True), (a, mask), (a, mask, m(240)),
        (ints(10, most=5), 5), (a, [ints(3, most=6)]), (a, [ints(3, most=6)], m(3, 40)), (0.1, 1.0, 20),
        (a, 1.0, 0.5), (a, b, row), (a, a, (40,), m(6), m(6), row, row, [True, True, True]),
        (image, m(4), m(4), m(4), m(4).abs(), True, 0.1, 1e-5), (image, m(4), m(4), 2, 4, 144, 2, 1e-5),
        (a, b, 0, 1), (a, m(6, 20), 1, 0, 20, 1), (a, row, 0, 2),
        (m(2, 2, 32, 32), m(2, 2, 32, 32), m(2, 2, 32, 32)), (a, 1, 2, 0), (m(16), 1), (m(16, 16),), (2.0, a),
        (a, 16), (a, b, True), (m(2, 4, 6, 8, 6), (1, 1, 1, 1, 1, 1)), (a, 0.0, 1.0, 1.0, False, b),
        (m(2, 4, 6, 6, 6), (8, 8, 8)), (a, 2, 1), (row, 5, 1), (a, 1, 5, True, True),
    ]


def try_all(names, get, recorder):
    """Calls each function with the first arguments with which it launches something."""
    for name in names:
        f, before = get(name), len(recorder.specs)
        if not callable(f) or inspect.isclass(f):
            continue
        for p in gems_patterns():
            try:
                f(*p)
            except Exception:
                continue
            if any("error" in s.get("triton", {})
                   for s in recorder.specs[before:]):  # arguments of wrong types
                del recorder.specs[before:]
            if len(recorder.specs) > before:
                break
        else:
            print(f"  {name}: no launch", file=sys.stderr)


def hip_functions():
    """FlagGems takes CUDA's device functions on AMD's GPUs too, which Triton refuses there: it gets AMD's."""
    import triton.language.extra.hip.libdevice as functions
    sys.modules["triton.language.extra.cuda.libdevice"] = functions


@case("flag_gems")
def gems_ops():
    hip_functions()
    recorder = sys.modules["dry"].recorder
    ops = use("flag_gems", "ops")
    try_all(ops.__all__, lambda n: getattr(ops, n), recorder)
    fused = use("flag_gems", "fused")
    try_all(fused.__all__, lambda n: getattr(fused, n), recorder)
    more = use("flag_gems", "experimental_ops")
    try_all([n for n in dir(more) if not n.startswith("_")], lambda n: getattr(more, n), recorder)


@case("flag_gems")
def gems_more():
    g = libraries.gems
    for name in ("softmax", "log_softmax", "argmax", "cumsum", "cummax"):
        once(lambda: g(name)(rand(3, 2000, dtype=KIND), -1))
        once(lambda: g(name)(rand(4, 30, 40, dtype=KIND), 1))
    for name in ("sum_dim", "mean_dim", "var_mean", "amax", "all_dims"):
        once(lambda: g(name)(rand(4, 30, 40, dtype=KIND), [1]))
        once(lambda: g(name)(rand(3, 2000, dtype=KIND), [0]))
    x, w = rand(6, 200, dtype=KIND, grad=True), rand(200, dtype=KIND, grad=True)
    both(lambda: g("rms_norm")(x, (200,), w))
    once(lambda: g("sort")(rand(3, 200, dtype=KIND)))
    once(lambda: g("topk")(rand(3, 300, dtype=KIND), 5))
    once(lambda: g("randperm")(500, device=DEVICE))
    once(lambda: g("flash_attention_forward")(*(rand(1, 32, 2, 64, dtype=FP16) for _ in range(3)), None, None,
                                              32, 32, 0.0, True, False))


# ---- attorch

@case("attorch")
def attorch_all():
    f = libraries.attorch
    x = grad(6, 128)
    for name in ("Sigmoid", "Tanh", "ReLU", "GELU", "SiLU", "ReLU6", "Hardsigmoid", "Hardtanh", "Hardswish",
                 "SELU", "Mish", "Softplus", "Softsign", "Tanhshrink", "LeakyReLU", "ELU", "CELU",
                 "Hardshrink", "Softshrink"):
        both(lambda: f("act_layers", name)()(x))
    both(lambda: f("act_layers", "GELU")(drop_p=0.2)(x))
    both(lambda: f("glu_layer", "GLU")()(x))
    both(lambda: f("dropout_layer", "Dropout")(0.3)(x))
    for name in ("Softmax", "LogSoftmax", "Softmin"):
        both(lambda: f("softmax_layers", name)(dim=-1)(x))
    x = grad(6, 128, dtype=FP32)
    both(lambda: f("layer_norm_layer", "LayerNorm")(128)(x))
    both(lambda: f("rms_norm_layer", "RMSNorm")(128)(x))
    both(lambda: f("batch_norm_layer", "BatchNorm2d")(4)(grad(4, 4, 8, 8, dtype=FP32)))
    both(lambda: f("batch_norm_layer", "BatchNorm1d")(16, act_func="relu")(grad(8, 16, dtype=FP32)))
    both(lambda: f("cross_entropy_loss_layer", "CrossEntropyLoss")()(grad(12, 50, dtype=FP32),
                                                                     ints(12, most=50)))
    both(lambda: f("nll_loss_layer", "NLLLoss")()(grad(12, 50, dtype=FP32), ints(12, most=50)))
    for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss"):
        both(lambda: f("p_loss_layers", name)()(grad(200, dtype=FP32), rand(200, dtype=FP32)))
    for act in (None, "gelu", "silu"):
        both(lambda: f("linear_layer", "Linear")(64, 48, act_func=act)(grad(32, 64, dtype=FP32)))
    both(lambda: f("conv_layer", "Conv2d")(8, 16, 3, padding=1)(grad(2, 8, 10, 10, dtype=FP32)))
    both(lambda: f("multi_head_attention_layer",
                   "MultiheadAttention")(64, 2, batch_first=True)(*(grad(1, 64, 64, dtype=FP32)
                                                                    for _ in range(3))))


# ---- Mamba, flash-attention, bitsandbytes, conch, tutorials

@case("mamba")
def mamba_all():
    b, t, h, p, n = 1, 96, 2, 32, 32
    x, dt = grad(b, t, h, p), unit(b, t, h).to(KIND).requires_grad_()
    a = (-unit(h) - 0.5).requires_grad_()
    state = lambda: grad(b, t, 1, n)
    both(lambda: mamba("ssd_combined", "mamba_chunk_scan_combined")(x, dt, a, state(), state(), 32))
    both(lambda: mamba("ssd_combined", "mamba_chunk_scan_combined")(x, dt, a, state(), state(), 32, D=grad(h),
                                                                    z=grad(b, t, h, p),
                                                                    dt_bias=unit(h).requires_grad_(),
                                                                    dt_softplus=True))
    x, w = grad(6, 200), grad(200)
    both(lambda: mamba("layer_norm", "rms_norm_fn")(x, w, None))
    both(lambda: mamba("layernorm_gated", "rmsnorm_fn")(x, w, None, z=grad(6, 200)))
    once(lambda: mamba("selective_state_update", "selective_state_update")(
        rand(2, 4, 16, 32, dtype=FP32), rand(2, 4, 16, dtype=KIND), rand(2, 4, 16, dtype=KIND),
        -unit(4, 16, 32), rand(2, 1, 32, dtype=KIND), rand(2, 1, 32, dtype=KIND), rand(4, 16, dtype=KIND),
        dt_bias=rand(4, 16, dtype=KIND), dt_softplus=True))


@case("flash_attn")
def flash_all():
    f = libraries.flash
    angles = unit(20, 16)
    for interleaved in (False, True):
        once(lambda: f("rotary", "apply_rotary")(rand(2, 20, 4, 32, dtype=KIND), angles.cos().to(KIND),
                                                 angles.sin().to(KIND), interleaved=interleaved))
    x, w, b = grad(6, 200), grad(200), grad(200)
    both(lambda: f("layer_norm", "layer_norm_fn")(x, w, b))
    both(lambda: f("layer_norm", "rms_norm_fn")(x, w, None, residual=rand(6, 200, dtype=FP32, grad=True),
                                                prenorm=True))
    both(lambda: f("layer_norm", "layer_norm_fn")(x, w, b, dropout_p=0.1))
    for smoothing in (0.0, 0.1):
        both(lambda: f("cross_entropy", "cross_entropy_loss")(grad(6, 300), ints(6, most=300),
                                                              label_smoothing=smoothing)[0])
    for act in ("id", "gelu", "squared_relu"):
        once(lambda: f("linear", "triton_linear_act")(rand(32, 64, dtype=FP16), rand(48, 64, dtype=FP16),
                                                      rand(48, dtype=FP16), activation=act,
                                                      save_act_input=act != "id"))
        once(lambda: f("linear", "triton_dgrad_act")(rand(32, 48, dtype=FP16), rand(48, 64, dtype=FP16),
                                                     activation=act, act_input=rand(32, 64, dtype=FP16)
                                                     if act != "id" else None))


@case("bitsandbytes")
def bnb_all():
    f, x, n = libraries.bnb, rand(16, 128, dtype=KIND), 512
    code = torch.linspace(-1, 1, 256, device=DEVICE)
    once(lambda: f("quantize_blockwise")(x, code, 256))
    once(lambda: f("dequantize_blockwise")(ints(16, 128, most=256, dtype=torch.uint8), unit(8), code, 256,
                                           KIND))
    for kind in ("nf4", "fp4"):
        once(lambda: f("quantize_4bit")(x, 64, kind, torch.uint8))
        once(lambda: f("dequantize_4bit")(ints(1024, 1, most=256, dtype=torch.uint8), unit(32), 64, kind,
                                          x.shape, KIND))
    once(lambda: f("gemv_4bit")(rand(1, 128, dtype=KIND), ints(1024, 1, most=256, dtype=torch.uint8), x.shape,
                                unit(32), torch.linspace(-1, 1, 16, device=DEVICE), 64))
    p, g = rand(n, dtype=KIND), rand(n, dtype=KIND)
    for name in ("adam", "momentum", "lion", "rmsprop", "adagrad", "ademamix"):
        states = [unit(n), unit(n) if name == "adam" else None]
        once(lambda: f("optimizer_update_32bit")(name, g, p, *states, None, 0.0, 0.0, 0.9, 0.99, 0.0, 0.0,
                                                 1e-8, 0.01, 3, 1e-3, 1.0))
    for name in ("adam", "momentum", "lion", "rmsprop"):
        two = name == "adam"
        once(lambda: f("optimizer_update_8bit_blockwise")(name, g, p, ints(n, most=256, dtype=torch.uint8),
                                                          ints(n, most=256, dtype=torch.uint8)
                                                          if two else None,
                                                         0.9, 0.99, 0.0, 0.0, 1e-8, 3, 1e-3, code, code
                                                          if two else None, unit(n // 256), unit(n // 256)
                                                          if two else None))


@case("conch")
def conch_all():
    f, scale = libraries.conch, torch.ones(1, device=DEVICE)
    x, w = rand(6, 128, dtype=KIND), rand(128, dtype=KIND)
    once(lambda: f("activation.gelu_tanh_and_mul", "gelu_tanh_and_mul")(x))
    once(lambda: f("activation.silu_and_mul", "silu_and_mul")(x))
    once(lambda: f("quantization.fp8", "scaled_fp8_quant")(x, scale))
    once(lambda: f("quantization.int8", "scaled_int8_quant")(x, scale))
    once(lambda: f("normalization.rms_norm", "rms_norm")(x, w, 1e-6))
    once(lambda: f("normalization.rms_norm", "fused_add_rms_norm")(x, rand(6, 128, dtype=KIND), w, 1e-6))
    once(lambda: f("normalization.gemma_rms_norm", "gemma_rms_norm")(x, w, 1e-6))
    once(lambda: f("embedding.rotary_embedding", "rotary_embedding")(torch.arange(10, device=DEVICE),
                                                                     rand(10, 128, dtype=KIND),
                                                                     rand(10, 64, dtype=KIND), 32,
                                                                     rand(64, 32, dtype=KIND)))
    once(lambda: f("vllm.reshape_and_cache", "reshape_and_cache")(*(rand(10, 2, 32, dtype=KIND)
                                                                    for _ in range(2)),
                                                                  *(rand(8, 4, 2, 32, dtype=KIND)
                                                                    for _ in range(2)),
                                                                 torch.randperm(32, device=DEVICE)[:10]))
    a, b = (ints(64, 64, most=100, dtype=torch.int8) for _ in range(2))
    once(lambda: f("quantization.gemm", "scaled_gemm")(a, b.T, unit(64, 1), unit(64, 1), BF16))
    once(lambda: f("quantization.gemm", "mixed_precision_gemm")(rand(16, 128, dtype=FP16),
                                                                ints(16, 64, most=1 << 31, dtype=torch.int32),
                                                                rand(1, 64, dtype=FP16, scale=0.01), None, 4,
                                                                8, 128))
    cache = [rand(8, 16, 2, 64, dtype=FP16, scale=0.5) for _ in range(2)]
    table, lengths = torch.randperm(8, device=DEVICE).to(torch.int32).reshape(2, 4), torch.full((2,), 50,
                                                                                                device=DEVICE,
                                                                                                dtype=torch.int32)
    once(lambda: f("attention.paged_attention", "paged_attention")(rand(2, 4, 64, dtype=FP16), *cache, table,
                                                                   lengths))
    starts = torch.arange(0, 3, device=DEVICE, dtype=torch.int32) * 50
    once(lambda: f("attention.varlen_attention", "varlen_attention")(rand(100, 4, 64, dtype=FP16), *cache,
                                                                     starts, 50, lengths, 50, table,
                                                                     causal=True))
    once(lambda: f("vision.nms", "nms")(unit(40, 4).sort(-1).values * 100, unit(40), 0.5))


@case("tutorials")
def tutorials_all():
    once(lambda: tutorial("01").add(rand(300, dtype=KIND), rand(300, dtype=KIND)))
    once(lambda: tutorial("02").softmax(rand(6, 200, dtype=KIND)))
    once(lambda: tutorial("03").matmul(rand(64, 96, dtype=FP16), rand(96, 80, dtype=FP16)))
    once(lambda: tutorial("04").dropout(rand(300, dtype=KIND), unit(300) > 0.5, 0.5))
    once(lambda: tutorial("04").seeded_dropout(rand(300, dtype=KIND), 0.5, 123))
    both(lambda: tutorial("05").layer_norm(rand(8, 128, dtype=FP16, grad=True), (128,),
                                           rand(128, dtype=FP16, grad=True), rand(128, dtype=FP16, grad=True),
                                           1e-5))
    for causal in (False, True):
        both(lambda: tutorial("06").attention(*(rand(1, 2, 128, 64, dtype=FP16, grad=True, scale=0.5)
                                                for _ in range(3)), causal, 0.125, False))
        both(lambda: tutorial("06").attention(*(rand(1, 2, 256, 128, dtype=FP16, grad=True, scale=0.5)
                                                for _ in range(3)), causal, 0.125, False))
    for dtype in (FP16, FP8):
        once(lambda: tutorial_products(dtype))


def tutorial_products(dtype):
    """The products of tutorials 08 and 09, with the configs that these have."""
    m = tutorial("09")
    a, b = rand(512, 256, dtype=dtype), rand(384, 256, dtype=dtype)
    once(lambda: m.matmul(a, b.T))
    once(lambda: m.matmul_persistent(a, b.T))
    for special in (False, True):
        for f in (m.matmul_tma, m.matmul_tma_persistent, m.matmul_descriptor_persistent):
            once(lambda: f(a, b, special))
    groups = [a, a], [b.T.contiguous(), b.T.contiguous()], [b, b]
    if dtype == FP16:
        once(lambda: tutorial("08").group_gemm_fn(groups[0], groups[1]))
    once(lambda: tutorial("08").group_gemm_tma_fn(groups[0], groups[2]))


def main():
    global KIND
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append",
                        help="libraries: " + ", ".join(dict.fromkeys(c[0] for c in CASES)))
    parser.add_argument("--dtype", action="append", choices=("fp16", "bf16", "fp32"),
                        help="of elements, where a function takes any (default fp32)")
    args = parser.parse_args()
    for dtype in args.dtype or ["fp32"]:
        KIND = {"fp16": FP16, "bf16": BF16, "fp32": FP32}[dtype]
        for library, f in CASES:
            if args.only and library not in args.only:
                continue
            torch.manual_seed(0)
            try:
                f()
            except Exception as e:
                print(f"{library} {f.__name__} {dtype}: {e!r:.300}", file=sys.stderr)


if __name__ == "__main__":
    main()
