"""Launches kernels of libraries on which nothing of Nereid was tried before, for `capture.py --time` or
`tables.py --only unseen`:

  capture.py --time --configs 1 --out CASES --root LIBRARIES --max-bytes 200000000 unseen.py [--only
      LIBRARY]... [--case NAME]...
  unseen.py --gather LIBRARIES

The second, with a network, git and pip, puts the libraries side by side: torchao, cut_cross_entropy,
flag_attn, lightning_attn, and of sageattention and xformers the files with Triton kernels, without
__init__.py: the packages want compiled extensions. They are 7 MB in all.
"""
import sys

import gather

# A library: what pip or git gets it from, and the paths in it to take.
SOURCES = (
    ("torchao", "pip:torchao==0.18.0", ("torchao",)),
    ("cut_cross_entropy", "git:https://github.com/apple/ml-cross-entropy", ("cut_cross_entropy",)),
    ("flag_attn", "git:https://github.com/FlagOpen/FlagAttention", ("src/flag_attn",)),
    ("lightning_attn", "git:https://github.com/OpenNLPLab/lightning-attention", ("lightning_attn",)),
    ("sageattention", "git:https://github.com/thu-ml/SageAttention", ("sageattention/triton",)),
    ("xformers", "git:https://github.com/facebookresearch/xformers",
     ("xformers/ops/_triton", "xformers/triton")),
)
BARE = ("sageattention", "xformers")  # without __init__.py


if __name__ == "__main__" and sys.argv[1:2] == ["--gather"]:
    gather.gather(SOURCES, sys.argv[2], BARE)
    sys.exit()

import torch

import libraries
from libraries import BF16, DEVICE, FP8, FP16, FP32, both, once, rand, use

E5M2 = torch.float8_e5m2
CASES = []


def case(library, kind):
    """Registers a function as a case: it launches kernels of a library that belong to a class."""
    def register(f):
        CASES.append((library, kind, f))
        return f
    return register


def ints(below, *shape, dtype=torch.int64):
    return torch.randint(0, below, shape, device=DEVICE, dtype=dtype)


def bytes_of(*shape):
    return torch.randint(-127, 128, shape, device=DEVICE, dtype=torch.int8)


# ---- torchao: quantization for training and inference

def ao(module, name):
    return use("torchao." + module, name)


@case("torchao", "quantization")
def ao_blockwise():
    quant, weight = (ao("kernel.blockwise_quantization", f"fp8_blockwise_{n}_quant")
                     for n in ("act", "weight"))
    for rows, columns, dtype, to in ((8192, 4096, BF16, FP8), (8192, 4096, FP32, FP8),
                                     (4096, 2048, BF16, E5M2), (16, 7168, BF16, FP8)):
        once(lambda: quant(rand(rows, columns, dtype=dtype), 128, to))
    for n, dtype in ((4096, BF16), (2048, FP32)):
        y, s = weight(rand(n, n, dtype=dtype))
        once(lambda: ao("kernel.blockwise_quantization", "fp8_blockwise_weight_dequant")(y, s))


@case("torchao", "products")
def ao_blockwise_product():
    quant, weight = (ao("kernel.blockwise_quantization", f"fp8_blockwise_{n}_quant")
                     for n in ("act", "weight"))
    for m, n, k in ((4096, 4096, 4096), (64, 7168, 2048)):
        a, a_s = quant(rand(m, k))
        b, b_s = weight(rand(n, k))
        once(lambda: ao("kernel.blockwise_quantization", "blockwise_fp8_gemm")(a, a_s, b, b_s))


@case("torchao", "quantization")
def ao_training_quantization():
    for name in ("act_quant_lhs", "act_quant_rhs", "act_quant_transposed_lhs", "weight_quant_rhs",
                 "weight_quant_transposed_rhs"):
        for rows, columns, dtype in ((8192, 4096, BF16), (4096, 2048, FP32)):
            once(lambda: ao("prototype.blockwise_fp8_training.kernels",
                            "triton_fp8_blockwise_" + name)(rand(rows, columns, dtype=dtype)))


@case("torchao", "products")
def ao_training_products():
    quant = lambda name, *shape: ao("prototype.blockwise_fp8_training.kernels",
                                    "triton_fp8_blockwise_" + name)(rand(*shape))
    for m, n, k in ((4096, 4096, 4096), (2048, 7168, 1024)):
        a, a_s = quant("act_quant_lhs", m, k)
        b, b_s = quant("weight_quant_transposed_rhs", n, k)
        once(lambda: ao("prototype.blockwise_fp8_training.kernels",
                        "triton_fp8_gemm_1x128_128x128")(a, b, a_s, b_s))
        b, b_s = quant("act_quant_rhs", k, n)
        once(lambda: ao("prototype.blockwise_fp8_training.kernels",
                        "triton_fp8_gemm_1x128_128x1")(a, b, a_s, b_s))


@case("torchao", "products")
def ao_int8():
    use("torchao.prototype.quantized_training.int8_mm", "scaled_int8_mm")
    for m, n, k, dtype in ((4096, 4096, 4096, BF16), (1024, 8192, 2048, FP32)):
        scales = rand(m, dtype=dtype), rand(n, dtype=dtype)
        once(lambda: ao("prototype.quantized_training.int8_mm",
                        "scaled_int8_mm_cuda")(bytes_of(m, k), bytes_of(n, k).T, *scales))


@case("torchao", "quantization")
def ao_experts():
    module = "prototype.moe_training.kernels.float8_rowwise"
    for dtype in (BF16, FP32):
        for name in ("rowwise_3d_transpose_rhs", "rowwise_3d_transpose_rhs_fused_reduction",
                     "colwise_3d_scale_and_cast"):
            once(lambda: ao(module, "triton_fp8_" + name)(rand(8, 1024, 2048, dtype=dtype)))
        for power in (False, True):
            once(lambda: ao(module, "triton_fp8_rowwise_2d_scale_and_cast")(rand(8192, 4096, dtype=dtype),
                                                                            FP8, power))


@case("torchao", "quantization")
def ao_groups():
    module = "prototype.moe_training.kernels.jagged_float8_scales"
    ends = torch.tensor([1000, 2048, 2500, 4096], device=DEVICE, dtype=torch.int32)
    for dtype in (BF16, FP32):
        x, y = rand(4096, 2048, dtype=dtype), rand(4096, 1024, dtype=dtype)
        once(lambda: ao(module, "triton_fp8_per_group_rowwise_scales")(x.T.contiguous(), ends))
        once(lambda: ao(module, "triton_fp8_per_group_colwise_scales")(x, ends))
        once(lambda: ao(module, "triton_fp8_per_group_colwise_scales_dual")(x, y, ends))


@case("torchao", "quantization")
def ao_attention_quantization():
    for length, d, dtype in ((4096, 128, BF16), (1000, 64, FP16)):
        q, k, v = (rand(2, 16, length, d, dtype=dtype) for _ in range(3))
        for name in ("qkv_quantize_func", "fp8_sdpa_quantize_func"):
            once(lambda: ao("prototype.fp8_sdpa_inference.fp8_sdpa_quantization", name)(q, k, v))
        once(lambda: ao("prototype.fp8_sdpa_inference.fp8_sdpa_quantization", "q_quantize_func")(q))
        once(lambda: ao("prototype.fp8_sdpa_inference.fp8_sdpa_quantization", "kv_quantize_func")(k, v))
        once(lambda: ao("prototype.attention.quantization.triton_qkv_quantization",
                        "triton_fp8_sdpa_quantize")(q, k, v))
        once(lambda: ao("prototype.attention.quantization.triton_hadamard_qkv_quantization",
                        "triton_fp8_hadamard_sdpa_quantize")(q, k, v))
        x, y, z = (rand(2, length, 16, d, dtype=dtype) for _ in range(3))
        angles = rand(length, d, dtype=dtype), rand(length, d, dtype=dtype)
        for interleaved in (False, True):
            once(lambda: ao("prototype.attention.quantization.triton_rope_qkv_quantization",
                            "triton_fp8_rope_sdpa_quantize")(
                x, y, z, *angles, rope_interleaved=interleaved))


@case("torchao", "quantization")
def ao_microscaling():
    module = "prototype.mx_formats.kernels"
    for rows, columns in ((8192, 4096), (1024, 2048)):
        for mode in ("rceil", "floor"):
            for name in ("triton_to_mxfp8_dim0", "triton_to_mxfp8_dim1"):
                once(lambda: ao(module, name)(rand(rows, columns), 32, mode))
        scales = ints(256, rows, columns // 32, dtype=torch.uint8)
        for to in (BF16, FP32):
            once(lambda: ao(module, "triton_mxfp8_dequant_dim0")(rand(rows, columns).to(FP8), scales, to))
        once(lambda: ao(module, "triton_mx_block_rearrange")(scales))


@case("torchao", "quantization")
def ao_tensorwise():
    module = "prototype.float8nocompile.kernels.fp8_dynamic_tensorwise"
    config = ao("float8.float8_training_tensor", "LinearMMConfig")()
    for algorithm in ao(module, "KernelAlgorithm"):
        for name in ("row_major", "row_major_t", "col_major", "col_major_t", "row_and_col_major",
                     "row_major_t_and_non_t", "col_major_t_and_non_t"):
            once(lambda: ao(module, "hp_to_fp8_" + name)(rand(4096, 2048), FP8, config, algo=algorithm))


# ---- FlagAttention

def flag(module, name="attention"):
    return use("flag_attn." + module, name)


@case("flag_attn", "attention by pointers")
def flag_flash():
    for dtype in (FP16, BF16):
        for d in (64, 128):
            for causal in (False, True):
                both(lambda: flag("flash")(*(rand(2, 16, 2048, d, dtype=dtype, grad=True, scale=0.5)
                                             for _ in range(3)), causal=causal))


@case("flag_attn", "attention by pointers")
def flag_piecewise():
    for dtype, d, causal in ((FP16, 64, True), (BF16, 128, True), (BF16, 64, False)):
        both(lambda: flag("piecewise")(*(rand(2, 16, 2048, d, dtype=dtype, grad=True, scale=0.5)
                                         for _ in range(5)), 1024, causal=causal))


@case("flag_attn", "attention by pointers")
def flag_decoding():
    for d, dtype, queries in ((128, FP16, 1), (64, BF16, 16)):
        k, v = (rand(2, 8, 16384, d, dtype=dtype, scale=0.5) for _ in range(2))
        once(lambda: flag("split_kv")(rand(2, 8, queries, d, dtype=dtype, scale=0.5), k, v))
    for group, dtype in ((1, FP16), (8, BF16)):
        caches = [rand(2048, 8, 16, 128, dtype=dtype, scale=0.5) for _ in range(2)]
        tables, lengths = ints(2048, 16, 128, dtype=torch.int32), torch.full((16,), 2000, device=DEVICE,
                                                                             dtype=torch.int32)
        for splits in (1, 4):
            once(lambda: flag("paged")(rand(16, 8 * group, 128, dtype=dtype, scale=0.5), *caches, lengths,
                                       tables, 128**-0.5, 2000, splits))
    q, k, v = (rand(1, 8, 1024, 64, dtype=FP16, scale=0.5) for _ in range(3))
    once(lambda: flag("flash")(q, k, v, causal=True, return_log_normalizer=True, return_total_attention=True))


# ---- lightning-attention

@case("lightning_attn", "small products")
def lightning():
    slopes = use("lightning_attn.utils", "_build_slope_tensor")(16).to(DEVICE).float()
    for d, dtype in ((64, BF16), (128, FP16)):
        q, k, v = (rand(2, 16, 2048, d, dtype=dtype, grad=True, scale=0.2) for _ in range(3))
        both(lambda: use("lightning_attn.ops.triton", "lightning_attn2_no_decay")(q, k, v))
        both(lambda: use("lightning_attn.ops.triton", "lightning_attn2")(q, k, v, slopes))
        both(lambda: use("lightning_attn.ops.triton", "lightning_attn2_parallel")(q, k, v, slopes))


@case("lightning_attn", "norms")
def lightning_norm():
    for rows, columns, dtype in ((8192, 4096, BF16), (4096, 2048, FP32), (4096, 1000, FP16)):
        both(lambda: use("lightning_attn.ops.triton.srmsnorm",
                         "_SrmsNorm").apply(rand(rows, columns, dtype=dtype, grad=True), 1e-6))


# ---- SageAttention

def sage(module, name):
    return use("sageattention.triton." + module, name)


@case("sageattention", "quantization")
def sage_quantization():
    for dtype, d, layout in ((FP16, 64, "HND"), (BF16, 128, "HND"), (BF16, 64, "NHD")):
        q, k = (rand(2, 16, 4096, d, dtype=dtype) if layout == "HND" else rand(2, 4096, 16, d, dtype=dtype)
                for _ in range(2))
        once(lambda: sage("quant_per_block", "per_block_int8")(q, k, tensor_layout=layout))
        once(lambda: sage("quant_per_thread", "per_thread_int8")(q, k, tensor_layout=layout))


@case("sageattention", "attention by pointers")
def sage_attention():
    for d in (64, 128):
        q, k, v = (rand(2, 16, 4096, d, dtype=FP16) for _ in range(3))
        a, a_s, b, b_s = sage("quant_per_block", "per_block_int8")(q, k)
        for module in ("attn_qk_int8_per_block", "attn_qk_int8_per_block_causal"):
            once(lambda: sage(module, "forward")(a, b, v, a_s, b_s))


@case("sageattention", "attention by pointers")
def sage_lengths():
    starts = torch.tensor([0, 1000, 3000, 4096, 8192], device=DEVICE, dtype=torch.int32)
    for d in (64, 128):
        q, k, v = (rand(8192, 16, d, dtype=FP16) for _ in range(3))
        a, a_s, b, b_s, at, bt = sage("quant_per_block_varlen",
                                      "per_block_int8")(q, k, starts, starts, 4096, 4096)
        for module in ("attn_qk_int8_block_varlen", "attn_qk_int8_per_block_causal_varlen"):
            once(lambda: sage(module, "forward")(a, b, v, starts, starts, 4096, a_s, b_s, at, bt))


# ---- cut-cross-entropy

@case("cut_cross_entropy", "products")
def cut():
    for tokens, d, vocabulary, more in ((4096, 2048, 16384, {}), (2048, 1024, 32000, {"softcap": 30.0}),
                                        (2048, 1024, 16384, {"shift": 1, "filter_eps": None})):
        e, c = rand(tokens, d, grad=True, scale=0.2), rand(vocabulary, d, grad=True, scale=0.2)
        both(lambda: use("cut_cross_entropy", "linear_cross_entropy")(e, c, ints(vocabulary, tokens),
                                                                      impl="cce", **more))


# ---- xformers

def former(module, name):
    return use("xformers.ops._triton." + module, name)


@case("xformers", "gathers and rotations")
def former_gathers():
    for dtype in (FP16, FP32):
        source, index = rand(16384, 1280, dtype=dtype), torch.randperm(16384, device=DEVICE)[:8192]
        out = torch.empty(8192, 1280, device=DEVICE, dtype=dtype)
        once(lambda: former("k_index_select_cat", "index_select_cat_fwd")(out, source, index))
        once(lambda: former("k_index_select_cat",
                            "index_select_cat_bwd")(torch.zeros_like(source), index, out))
        x, part, scaling = rand(64, 256, 1280, dtype=dtype), rand(32, 256, 1280, dtype=dtype), rand(1280, dtype=dtype)
        rows = torch.randperm(64, device=DEVICE)[:32]
        for s in (scaling, None):
            once(lambda: former("k_scaled_index_add", "scaled_index_add_fwd")(x, rows, part, s, 0.5))
        grads = torch.empty_like(part), torch.empty_like(part)
        once(lambda: former("k_scaled_index_add",
                            "scaled_index_add_bwd")(x, *grads, part, scaling, rows, 0.5))


@case("xformers", "norms")
def former_norms():
    for rows, columns, dtype in ((8192, 4096, BF16), (4096, 8192, FP16), (4096, 1536, FP32)):
        x, y, w = rand(rows, columns, dtype=dtype), rand(rows, columns, dtype=dtype), rand(columns, dtype=dtype)
        for weight in (w, None):
            once(lambda: former("rmsnorm_kernels", "_rms_norm_forward")(x, weight, 1e-6))
        once(lambda: former("rmsnorm_kernels", "_rms_norm_add_forward")(x, y, w, 1e-6))


if __name__ == "__main__":
    libraries.main(CASES)
