"""Launches kernels of inference servers, of mixtures of experts, of xLSTM and of fine-tuning at the sizes at
which they are used, for `capture.py --time` to record:

  capture.py --time --configs 1 --out CASES --root LIBRARIES --max-bytes 200000000 serving.py [--only
      LIBRARY]... [--case NAME]...
  serving.py --gather LIBRARIES

The second, with a network, git and pip, puts the files side by side: of sglang, lmdeploy, lightllm and
unsloth those with kernels, without __init__.py, all of mlstm_kernels and scattermoe, and packaging and
einops, which some of them import. What these files import and is not there is stubbed. The results of
lmdeploy's _sorted_idx_phase1_kernel depend on the order of its atomic additions: two runs differ.
"""
import sys

import gather

# A library: what pip or git gets it from, and the paths in it to take.
SOURCES = (
    ("sglang", "git:https://github.com/sgl-project/sglang@cce0a1244b5a3ee60411fb403f65f856a1d012f0",
     ("python/sglang/kernels/ops",)),
    ("lmdeploy", "git:https://github.com/InternLM/lmdeploy@1263d5cd889b7ad500e85b8eb20401327a4516ab",
     ("lmdeploy/pytorch/kernels",)),
    ("lightllm", "git:https://github.com/ModelTC/lightllm@fc72ffab9a3455cfb571f22d45ab777cc29de0de",
     ("lightllm/common/basemodel/triton_kernel", "lightllm/common/fused_moe",
      "lightllm/common/quantization/triton_quant", "lightllm/common/kernel_config.py", "lightllm/models")),
    ("unsloth", "git:https://github.com/unslothai/unsloth@015bdef0d94a241bcd94eec7a405b1700632180d",
     ("unsloth/kernels",)),
    ("mlstm_kernels", "git:https://github.com/NX-AI/mlstm_kernels@39d3c61741e5d2c0e6ab8922106dd236632c5139",
     ("mlstm_kernels/torch", "mlstm_kernels/triton", "mlstm_kernels/utils")),
    ("scattermoe", "git:https://github.com/shawntan/scattermoe@47b5e1502e5a10e82c8e5945d761b877849871e7",
     ("scattermoe",)),
    ("packaging", "pip:packaging==26.3", ("packaging",)),
    ("einops", "pip:einops==0.8.2", ("einops",)),
)
BARE = ("sglang", "lmdeploy", "lightllm", "unsloth")  # without __init__.py

if __name__ == "__main__" and sys.argv[1:2] == ["--gather"]:
    gather.gather(SOURCES, sys.argv[2], BARE)
    sys.exit()

import enum
import types

import torch

import libraries
from libraries import BF16, DEVICE, FP8, FP16, FP32, both, once, rand, use
from library_sources import Stub, Stubs

INT32, INT64 = torch.int32, torch.int64
CASES = []


def case(library, kind):
    """Registers a function as a case: it launches kernels of a library that belong to a class."""
    def register(f):
        CASES.append((library, kind, f))
        return f
    return register


class Missing(Stubs):
    """Finds what the libraries import and nobody else has found."""
    packages = ("sglang", "lmdeploy", "lightllm", "unsloth", "unsloth_zoo", "transformers", "frozendict",
                "sgl_kernel", "vllm", "lightllm_kernel", "peft", "flash_attn", "orjson")

    def find_spec(self, name, path, target=None):
        return super().find_spec(name, path, target) if name.split(".")[0] in self.packages else None


def provide(name, **members):
    """A module that is not here, with what is asked of it."""
    module = Stub(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def prepare():
    from packaging.version import Version
    torch.compile = lambda f=None, **_: f or (lambda g: g)  # what it writes is no kernel of the libraries
    sys.meta_path.append(Missing())
    provide("sglang.srt.utils", get_device_core_count=lambda *_: 132,
            get_device_name=lambda *_: "NVIDIA H200")
    provide("sglang.srt.utils.common", torch_release=(2, 11))
    provide("sglang.kernels.jit.utils", get_jit_cuda_arch=lambda *_: types.SimpleNamespace(major=9, minor=0))
    provide("sglang.kernels.ops.moe.moe_permute_prepare", moe_permute_prepare=lambda topk_ids,
            **_: (None, sorted_places(topk_ids)))
    provide("lmdeploy.messages", QuantPolicy=enum.IntEnum("QuantPolicy",
                                                          dict(NONE=0, INT4=4, INT8=8, FP8=16, FP8_E5M2=17,
                                                               TURBO_QUANT=42)))
    provide("frozendict", frozendict=lambda d: tuple(sorted(d.items())))
    provide("lightllm.utils.device_utils", is_tesla=lambda: False, is_hopper=lambda: True,
            get_device_sm_count=lambda: 132, get_current_device_name=lambda: "H200",
            get_device_warp_size=lambda: 32)
    provide("lightllm.utils.log_utils", init_logger=lambda _: Stub("logger"))
    provide("lightllm.utils.sgl_utils", HAS_SGL_KERNEL=False, sgl_ops=None)
    provide("lightllm.utils.light_utils", HAS_LIGHTLLM_KERNEL=False, light_ops=None)
    provide("unsloth.device_type", DEVICE_TYPE="cuda", DEVICE_TYPE_TORCH="cuda", DEVICE_COUNT=0,
            is_hip=lambda: False, ALLOW_PREQUANTIZED_MODELS=False)
    provide("deep_gemm", ceil_div=lambda a, b: -(-a // b))
    provide("transformers.integrations.finegrained_fp8", FP8Linear=None, FP8GroupedLinear=None)
    provide("transformers.integrations.fbgemm_fp8", FbgemmFp8Linear=None)
    provide("unsloth_zoo.utils", Version=lambda v: Version(str(v)))
    provide("unsloth_zoo.temporary_patches.common", torch_compile=lambda f: f)


def ints(below, *shape, dtype=INT32):
    return torch.randint(0, below, shape, device=DEVICE, dtype=dtype)


def bytes_of(*shape):
    return torch.randint(-127, 128, shape, device=DEVICE, dtype=torch.int8)


def words(*shape):
    """Packed integers of 4 bits."""
    return torch.randint(-(1 << 31), (1 << 31) - 1, shape, device=DEVICE, dtype=INT64).to(INT32)


def numbers(*values, dtype=INT32):
    return torch.tensor(values, device=DEVICE, dtype=dtype)


def same(value, n, dtype=INT32):
    return torch.full((n,), value, device=DEVICE, dtype=dtype)


def empty(*shape, dtype=BF16):
    return torch.empty(shape, device=DEVICE, dtype=dtype)


def scales(*shape):
    return torch.rand(*shape, device=DEVICE) * 0.02 + 0.001


def order(*shape, dtype=INT32):
    """Different numbers below the product of shape, as page tables have them."""
    n = 1
    for s in shape:
        n *= s
    return torch.randperm(n, device=DEVICE).to(dtype).view(*shape)


def routes(tokens, experts, k, dtype=INT32):
    """Experts of each token, and their weights."""
    weights, ids = torch.rand(tokens, experts, device=DEVICE).softmax(-1).topk(k, -1)
    return weights, ids.to(dtype)


def sorted_places(ids):
    """The place of each of the experts of tokens, sorted."""
    places = torch.empty(ids.numel(), device=DEVICE, dtype=INT32)
    places[torch.sort(ids.flatten(), stable=True)[1]] = torch.arange(ids.numel(), device=DEVICE, dtype=INT32)
    return places


# ---- sglang

def sgl(module, name):
    return use("sglang.kernels.ops." + module, name)


def prefix_sums(count, each):
    return torch.arange(count + 1, device=DEVICE, dtype=INT32) * each


@case("sglang", "attention by pointers")
def sgl_decode():
    batch, length, splits = 16, 2048, 8
    starts, places = prefix_sums(batch, length), order(batch * length, dtype=INT64)
    for heads, kv, d, dv, dtype in ((32, 8, 128, 128, BF16), (16, 16, 128, 128, FP16),
                                    (16, 1, 576, 512, BF16)):
        k, v = (rand(batch * length, kv, n, dtype=dtype, scale=0.3) for n in (d, dv))
        once(lambda: sgl("attention.decode_attention", "decode_attention_fwd")(
            rand(batch, heads, d, dtype=dtype, scale=0.3), k, v, empty(batch, heads, dv, dtype=dtype), starts,
            places, empty(batch, heads, splits, dv, dtype=FP32), empty(batch, heads, splits, dtype=FP32),
            same(splits, batch), splits, d**-0.5, 1.0, 1.0))
    cut = (rand(4096, 16, 128), rand(4096, 16, dtype=FP32), rand(4096, 16, 128), rand(4096, 16, dtype=FP32))
    once(lambda: sgl("attention.merge_state", "merge_state_triton")(*cut))


@case("sglang", "attention by pointers")
def sgl_prefill():
    batch, fresh, cached = 4, 512, 1024
    extend = sgl("attention.extend_attention", "extend_attention_fwd")
    for heads, kv, d, dtype, more in ((32, 8, 128, BF16, {}), (16, 16, 64, FP16, {}),
                                      (32, 8, 128, BF16, {"sliding_window_size": 256})):
        q = rand(batch * fresh, heads, d, dtype=dtype, scale=0.3)
        k, v, old_k, old_v = (rand(batch * n, kv, d, dtype=dtype, scale=0.3)
                              for n in (fresh, fresh, cached, cached))
        once(lambda: extend(q, k, v, torch.empty_like(q), old_k, old_v, prefix_sums(batch, fresh),
                            prefix_sums(batch, cached), order(batch * cached, dtype=INT64), None, True, None,
                            fresh, 1.0, 1.0, **more))
    for d, dtype, causal in ((128, BF16, True), (80, FP16, False)):
        q, k, v = (rand(4096, 16, d, dtype=dtype, scale=0.3) for _ in range(3))
        once(lambda: sgl("attention.prefill_attention", "context_attention_fwd")(
            q, k, v, torch.empty_like(q), prefix_sums(4, 1024)[:4], same(1024, 4), 1024, causal))


@case("sglang", "attention by pointers")
def sgl_sparse():
    once(lambda: sgl("attention.dsa.triton_sparse_mla", "triton_sparse_mla_fwd")(
        rand(64, 16, 512, scale=0.2), rand(64, 16, 64, scale=0.2), rand(8192, 1, 576, scale=0.2),
        ints(8192, 64, 1, 512), 0.07))
    once(lambda: sgl("attention.dsa.quant_k_cache", "quantize_k_cache")(rand(128, 64, 1, 576)))
    once(lambda: sgl("attention.dsa.triton_kernel", "act_quant")(rand(4096, 4096), 128))


@case("sglang", "small products")
def sgl_linear():
    heads, d, length = 16, 128, 2048
    slopes = torch.rand(heads, 1, 1, device=DEVICE) * 0.1
    once(lambda: sgl("attention.linear.lightning_attn", "lightning_attention")(
        *(rand(1, heads, length, d, dtype=FP32, scale=0.2) for _ in range(3)), slopes.view(heads)))
    once(lambda: sgl("attention.linear.lightning_attn", "linear_decode_forward_triton")(
        *(rand(32, heads, 1, d, scale=0.2) for _ in range(3)), rand(32, heads, d, d, dtype=FP32),
        slopes.view(heads), torch.arange(32, device=DEVICE)))


@case("sglang", "products")
def sgl_products():
    int8 = "quantization.int8_kernel"
    a, a_s = sgl(int8, "per_token_group_quant_int8")(rand(1024, 4096), 128)
    once(lambda: sgl(int8, "w8a8_block_int8_matmul")(a, bytes_of(4096, 4096), a_s, scales(32, 32), [128, 128],
                                                     BF16))
    fp8 = "quantization.fp8_kernel"
    for rows in (1024, 16):
        once(lambda: sgl(fp8, "w8a8_block_fp8_matmul_triton")(
            rand(rows, 4096).to(FP8), rand(4096, 4096).to(FP8), scales(rows, 32), scales(32, 32), [128, 128],
            BF16))
    for rows in (1024, 32):
        once(lambda: sgl(fp8, "triton_scaled_mm")(rand(rows, 4096).to(FP8), rand(4096, 4096).to(FP8).T,
                                                  scales(rows, 1), scales(4096, 1), BF16))
    once(lambda: sgl(fp8, "triton_scaled_mm")(bytes_of(512, 4096), bytes_of(4096, 4096).T, scales(512, 1),
                                              scales(4096, 1), BF16, bias=rand(4096)))
    for rows in (8, 256):
        once(lambda: sgl("quantization.awq_triton", "awq_gemm_triton")(
            rand(rows, 4096, dtype=FP16), words(4096, 512), rand(32, 4096, dtype=FP16, scale=0.01),
            words(32, 512), 8 if rows < 16 else 1))
    once(lambda: sgl("quantization.awq_triton", "awq_dequantize_triton")(words(4096, 512),
                                                                         rand(32, 4096, dtype=FP16, scale=0.01), words(32, 512)))


@case("sglang", "quantization")
def sgl_quantization():
    once(lambda: sgl("quantization.int8_kernel", "per_token_quant_int8")(rand(4096, 4096)))
    for more in ({}, {"column_major_scales": True}):
        once(lambda: sgl("quantization.fp8_kernel",
                         "_per_token_group_quant_8bit_raw")(rand(4096, 4096), 128, dtype=FP8, **more))
    once(lambda: sgl("quantization.fp8_kernel", "per_group_transpose")(rand(4096, 2048).to(FP8),
                                                                       prefix_sums(8, 512)))
    once(lambda: sgl("quantization.fp8_kernel",
                     "per_token_group_quant_mla_deep_gemm_masked_fp8")(rand(16, 256, 512)))


@case("sglang", "norms")
def sgl_norms():
    x, y, w, v = rand(4096, 4096), rand(4096, 4096), rand(4096), rand(4096)
    once(lambda: sgl("elementwise.elementwise", "fused_dual_residual_rmsnorm")(x, y, w, v, 1e-6))
    once(lambda: sgl("elementwise.elementwise", "fused_rmsnorm")(x, w, 1e-6))
    once(lambda: sgl("layernorm.gemma4_fused_ops", "gemma_rmsnorm_residual_scalar")(x, w, y, rand(1)))
    once(lambda: sgl("layernorm.gemma4_fused_ops", "gemma_qkv_rmsnorm")(
        rand(2048, 16 * 256), rand(2048, 8 * 256), rand(2048, 8 * 256), rand(256), rand(256), 16, 8, 256))
    once(lambda: sgl("attention.fla.l2norm", "l2norm_fwd")(rand(65536, 128)))
    once(lambda: sgl("diffusion.norm.norm_triton", "norm_infer")(rand(4096, 3072), rand(3072), rand(3072),
                                                                 1e-6))
    once(lambda: sgl("diffusion.norm.norm_triton", "rms_norm_fn")(x, w, None, residual=y))
    once(lambda: sgl("diffusion.norm.rmsnorm_onepass_triton",
                     "triton_one_pass_rms_norm")(rand(65536, 128), rand(128)))
    once(lambda: sgl("diffusion.norm.layernorm_modulate_triton",
                     "fused_layernorm_modulate_raw")(rand(2, 2048, 3072), rand(2, 3072), rand(2, 3072), 1e-6))


@case("sglang", "norms")
@torch.no_grad()
def sgl_images():
    module = "diffusion.norm.group_norm_silu_triton"
    for shape in ((2, 512, 64, 64), (1, 128, 512, 512)):
        once(lambda: sgl(module, "triton_group_norm_silu")(rand(*shape), rand(shape[1]), rand(shape[1]), 32))
    x = rand(1, 96, 8, 120, 120).to(memory_format=torch.channels_last_3d)
    once(lambda: sgl("diffusion.norm.wan_rmsnorm_silu_triton", "wan_rmsnorm_silu")(x, rand(96)))
    y = rand(1, 4096, 3072)
    once(lambda: sgl("diffusion.modulate.scale_shift_triton",
                     "fuse_scale_shift_kernel")(y, rand(1, 3072), rand(1, 3072)))
    once(lambda: sgl("diffusion.modulate.scale_shift_triton",
                     "fuse_layernorm_scale_shift_gate_select01_kernel")(
        y, None, None, *(rand(1, 3072) for _ in range(6)), ints(2, 1, 4096), 1e-6))


@case("sglang", "gathers and rotations")
def sgl_rotary():
    once(lambda: sgl("diffusion.rope.rotary_triton",
                     "apply_rotary_embedding")(rand(1, 4096, 24, 128), rand(4096, 64, dtype=FP32),
                                               rand(4096, 64, dtype=FP32)))
    once(lambda: sgl("diffusion.rope.ltx2_rotary_triton",
                     "apply_ltx2_split_rotary_emb")(rand(1, 4096, 2048), rand(1, 32, 4096, 32),
                                                    rand(1, 32, 4096, 32)))
    once(lambda: sgl("attention.rotary_triton", "triton_mrope_fused")(
        rand(2048, 32 * 128), rand(2048, 8 * 128), rand(4096, 128), ints(4096, 3, 2048, dtype=INT64),
        [16, 24, 24], 128, 128, False, False, True, None))
    once(lambda: sgl("kvcache.cache_move", "store_cache_4d")(
        rand(128, 64, 8, 128), rand(128, 64, 8, 128), rand(4096, 8, 128), rand(4096, 8, 128),
        order(8192, dtype=INT64)[:4096], 64))


@case("sglang", "elementwise math")
def sgl_elementwise():
    x = rand(4096, 8192)
    once(lambda: sgl("elementwise.elementwise", "gelu_and_mul_triton")(x))
    once(lambda: sgl("elementwise.elementwise", "silu_and_mul_triton")(x))
    once(lambda: sgl("elementwise.elementwise", "fused_sigmoid_mul")(rand(4096, 4096), rand(4096, 32, 128)))
    once(lambda: sgl("elementwise.elementwise",
                     "fused_gate_sigmoid_mul_add")(rand(4096, 2048), rand(2048), rand(4096, 2048),
                                                   rand(4096, 2048)))
    once(lambda: sgl("activation.softcap", "softcap_inplace_logits")(rand(64, 128256, dtype=FP32), 30.0))
    once(lambda: sgl("sampling.murmur_hash", "murmur_hash32")(ints(1 << 30, 64, dtype=INT64), ints(4096, 64),
                                                              torch.arange(32000, device=DEVICE)))


@case("sglang", "sampling")
def sgl_sampling():
    probabilities = rand(64, 32000, dtype=FP32).softmax(-1)
    once(lambda: sgl("sampling.renorm_triton", "top_p_renorm_probs_triton")(probabilities, 0.9))
    once(lambda: sgl("speculative.multi_layer_eagle", "wide_row_softmax_triton")(
        rand(64, 128256), torch.ones(64, 1, device=DEVICE), empty(64, 128256, dtype=FP32)))
    mask = words(64, 4008)
    once(lambda: sgl("grammar.bitmask_ops",
                     "apply_token_bitmask_inplace_triton")(rand(64, 128256, dtype=FP32), mask))


def adapters(n, length, rank):
    """What sglang says of a batch of n sequences, each with its own adapter."""
    return types.SimpleNamespace(bs=n, max_len=length, seg_lens=same(length, n),
                                 seg_indptr=prefix_sums(n, length), lora_ranks=same(rank, n),
                                 weight_indices=torch.arange(n, device=DEVICE, dtype=INT32),
                                 scalings=torch.ones(n, device=DEVICE), permutation=None)


@case("sglang", "small products")
def sgl_adapters():
    for n, length, rank in ((8, 256, 16), (32, 1, 64)):
        about, x = adapters(n, length, rank), rand(n * length, 4096)
        once(lambda: sgl("gemm.sgemm_lora_a", "sgemm_lora_a_fwd")(x, rand(n, 3 * rank, 4096, scale=0.02),
                                                                  about, 3))
        once(lambda: sgl("gemm.sgemm_lora_b", "sgemm_lora_b_fwd")(rand(n * length, rank),
                                                                  rand(n, 4096, rank, scale=0.02), about))
        once(lambda: sgl("gemm.qkv_lora_b", "qkv_lora_b_fwd")(
            rand(n * length, 3 * rank), rand(n, 6144, rank, scale=0.02), about, numbers(0, 4096, 5120, 6144),
            4096))


@case("sglang", "small products")
def sgl_experts():
    import triton.language as tl
    hidden, inner, experts, k = 2048, 768, 32, 8
    w1 = rand(experts, 2 * inner, hidden, scale=0.02)
    for tokens, block in ((1024, 64), (16, 16)):
        weights, ids = routes(tokens, experts, k)
        places, of, total = align(ids, experts, block)
        config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8,
                  "num_warps": 4, "num_stages": 3}
        plain = dict.fromkeys(("use_fp8_w8a8", "use_int8_w8a8", "use_int8_w8a16", "use_int4_w4a16",
                               "per_channel_quant"), False)
        once(lambda: sgl("moe.fused_moe_triton_kernels", "invoke_fused_moe_kernel")(
            rand(tokens, hidden), w1, None, empty(tokens, k, 2 * inner), None, None, None, weights, ids,
            places, of, total, False, k, config, compute_type=tl.bfloat16, **plain))
        once(lambda: sgl("moe.fused_moe_triton_kernels",
                         "act_and_mul_triton")(rand(tokens * k, 2 * inner), empty(tokens * k, inner), config,
                                               ids))
        once(lambda: sgl("moe.fused_moe_triton_kernels",
                         "moe_sum_reduce_triton")(rand(tokens, k, hidden), empty(tokens, hidden), 1.0))
    once(lambda: sgl("moe.router", "fused_moe_router_shim")(30.0, rand(2048, 4096), rand(16, 4096), 2, False))
    once(lambda: sgl("moe.router", "fused_moe_router_shim")(30.0, rand(256, 4096), rand(8, 4096), 2, False))
    once(lambda: sgl("layernorm.gemma4_fused_ops",
                     "gemma4_fused_routing")(rand(4096, 128), rand(128, dtype=FP32), 8))


def align(ids, experts, block):
    """Tokens sorted by expert, each expert's filled up to whole blocks; the blocks' experts; the count."""
    flat = ids.flatten().cpu().long()
    places, of = [], []
    for e in range(experts):
        mine = (flat == e).nonzero().flatten().tolist()
        blocks = -(-len(mine) // block)
        places += mine + [flat.numel()] * (blocks * block - len(mine))
        of += [e] * blocks
    return numbers(*places), numbers(*of), numbers(len(places))


@case("sglang", "gathers and rotations")
def sgl_permutation():
    _, ids = routes(2048, 32, 8)
    once(lambda: sgl("moe.ep_moe_kernels", "moe_permute")(rand(2048, 2048), ids, 32))
    once(lambda: sgl("moe.ep_moe_kernels", "silu_and_mul_masked_fwd")(rand(16, 256, 4096),
                                                                      empty(16, 256, 2048), ints(256, 16)))


@case("sglang", "recurrences")
def sgl_state():
    x = rand(4096, 4096).T
    once(lambda: sgl("mamba.causal_conv1d_triton", "causal_conv1d_fn")(
        x, rand(4096, 4), rand(4096), torch.zeros(4, 4096, 3, device=DEVICE, dtype=BF16),
        prefix_sums(4, 1024), [1024] * 4, torch.arange(4, device=DEVICE, dtype=INT32),
        torch.zeros(4, device=DEVICE, dtype=torch.bool)))
    once(lambda: sgl("mamba.causal_conv1d_triton", "causal_conv1d_update")(rand(64, 4096), rand(64, 4096, 3),
                                                                           rand(4096, 4), rand(4096), "silu"))


# ---- lmdeploy

def deploy(module, name):
    return use("lmdeploy.pytorch.kernels.cuda." + module, name)


def policy(name):
    return sys.modules["lmdeploy.messages"].QuantPolicy[name]


@case("lmdeploy", "products")
def deploy_awq():
    for rows, dtype in ((1, FP16), (16, FP16), (256, FP16)):
        once(lambda: deploy("awq_kernels", "awq_linear")(rand(rows, 4096, dtype=dtype),
                                                         words(4096, 4096 // 8),
                                                         rand(32, 4096, dtype=dtype, scale=0.01),
                                                         words(32, 4096 // 8)))


@case("lmdeploy", "products")
def deploy_int8():
    quant, product = (deploy("w8a8_triton_kernels", n)
                      for n in ("per_token_quant_int8", "matmul_kernel_dynamic_quant"))
    for rows, n, k in ((2048, 4096, 4096), (16, 11008, 4096)):
        a, a_s = quant(rand(rows, k, dtype=FP16), 1e-7)
        once(lambda: product(a, bytes_of(n, k), a_s, scales(n, 1), output_dtype=FP16))
        once(lambda: product(a, bytes_of(n, k), a_s, scales(n, 1), residual=rand(rows, n, dtype=FP16),
                             output_dtype=FP16))
    a, a_s = quant(rand(2048, 4096), 1e-7, FP8)
    once(lambda: product(a, rand(4096, 4096).to(FP8), a_s, scales(4096, 1), output_dtype=BF16))


@case("lmdeploy", "quantization")
def deploy_quantization():
    norm = deploy("w8a8_triton_kernels", "rms_norm_dynamic_quant")
    for dtype, to in ((FP16, torch.int8), (BF16, FP8)):
        x, w = rand(4096, 4096, dtype=dtype), rand(4096, dtype=dtype)
        once(lambda: norm(x, w, 1e-6, quant_dtype=to))
        once(lambda: norm(x, w, 1e-6, residual=rand(4096, 4096, dtype=dtype), quant_dtype=to))
    for rows, columns, more in ((4096, 7168, {}), (32, 7168, {"scale_fmt": "ue8m0"}),
                                (2048, 2048, {"trans_scale": True})):
        once(lambda: deploy("blocked_gemm_fp8", "quant_fp8")(rand(rows, columns), 128, **more))


@case("lmdeploy", "products")
def deploy_blocked_fp8():
    quant, product = (deploy("blocked_gemm_fp8", n) for n in ("quant_fp8", "blocked_gemm_fp8"))
    for rows, n, k in ((2048, 4096, 4096), (64, 7168, 2048)):
        a, a_s = quant(rand(rows, k), 128)
        b = rand(n, k).to(FP8)
        once(lambda: product(a, a_s, b.T, scales(n // 128, k // 128).T, out_dtype=BF16))
        once(lambda: product(a, a_s, b.T.contiguous(), scales(n // 128, k // 128).T, out_dtype=BF16))


@case("lmdeploy", "gathers and rotations")
def deploy_rotary():
    for tokens, dtype in ((4096, BF16), (64, FP16)):
        q, k = rand(tokens, 32, 128, dtype=dtype), rand(tokens, 8, 128, dtype=dtype)
        cos, sin = rand(tokens, 128, dtype=dtype), rand(tokens, 128, dtype=dtype)
        once(lambda: deploy("apply_rotary_pos_emb", "apply_rotary_pos_emb")(q, k, cos, sin))


@case("lmdeploy", "elementwise math")
def deploy_activation():
    for rows in (64, 4096):
        once(lambda: deploy("activation", "silu_and_mul")(rand(rows, 2 * 8192)))
    once(lambda: deploy("activation", "silu_and_mul_moe_ep")(rand(16, 256, 4096), ints(256, 16)))


@case("lmdeploy", "norms")
def deploy_norms():
    for rows, columns, dtype in ((4096, 4096, BF16), (64, 8192, FP16)):
        x, w = rand(rows, columns, dtype=dtype), rand(columns, dtype=dtype)
        once(lambda: deploy("rms_norm", "rms_norm")(x, w, 1e-6))
        once(lambda: deploy("rms_norm", "rms_norm")(x, w, 1e-6, residual=rand(rows, columns, dtype=dtype)))
    once(lambda: deploy("rms_norm", "rms_norm")(rand(4096, 32, 128), rand(128), 1e-6))


@case("lmdeploy", "sampling")
def deploy_sampling():
    scores, index = torch.sort(rand(64, 32000, dtype=FP32).softmax(-1), -1, descending=True)
    once(lambda: deploy("multinomial_sampling", "multinomial_sampling")(scores, ints(1000, 64, dtype=INT64),
                                                                        ints(1000, 64, dtype=INT64), index))
    once(lambda: deploy("bitonic_topk", "bitonic_topk")(rand(64, 16384, dtype=FP32), same(1, 64),
                                                        same(16384, 64), 512))


@case("lmdeploy", "small products")
def deploy_lora():
    n, rank = 8, 16
    lengths = same(256, n, INT64)
    once(lambda: deploy("fused_lora", "fused_lora")(
        rand(2048, 4096, dtype=FP16), rand(n * rank, 4096, dtype=FP16, scale=0.02),
        rand(n * rank, 4096, dtype=FP16, scale=0.02), torch.ones(n, device=DEVICE),
        torch.arange(n, device=DEVICE) * rank, same(rank, n, INT64), torch.arange(n, device=DEVICE) * 256,
        lengths, torch.arange(n, device=DEVICE), rank, 256))


def pages(blocks, size, heads, d, dtype, count=2):
    return [rand(blocks, size, heads, d, dtype=dtype, scale=0.5) for _ in range(count)]


@case("lmdeploy", "gathers and rotations")
def deploy_caches():
    batch, length, size, heads, d = 8, 1024, 64, 8, 128
    blocks = order(batch, length // size)
    starts, lengths = torch.arange(batch, device=DEVICE, dtype=INT32) * length, same(length, batch)
    k, v = (rand(batch * length, heads, d, dtype=FP16) for _ in range(2))
    fill = deploy("fill_kv_cache", "fill_kv_cache")
    caches = pages(batch * length // size, size, heads, d, FP16)
    once(lambda: fill(k, v, *caches, starts, lengths, lengths, length, blocks))
    flatten = deploy("flatten_kv_cache", "flatten_kv_cache")
    once(lambda: flatten(*caches, lengths, blocks, out_size=batch * length))
    for name, width in (("INT8", d), ("INT4", d // 2)):
        quantized = [ints(256, batch * length // size, size, heads, width, dtype=torch.uint8)
                     for _ in range(2)]
        meta = [rand(batch * length // size, size, heads, 2, dtype=FP16) for _ in range(2)]
        once(lambda: fill(k, v, *quantized, starts, lengths, lengths, length, blocks, *meta,
                          quant_policy=policy(name)))
        once(lambda: flatten(*quantized, lengths, blocks, out_size=batch * length, out_dtype=FP16,
                             k_scales_zeros=meta[0], v_scales_zeros=meta[1], quant_policy=policy(name)))
    once(lambda: deploy("fill_kv_cache", "fill_kv_cache_blocked_fp8")(
        k, v, *(c.to(FP8) for c in caches), *(torch.empty(batch * length // size, size, heads, 1,
                                                          device=DEVICE) for _ in range(2)),
        torch.cat([starts, same(batch * length, 1)]), lengths, length, blocks))


@case("lmdeploy", "attention by pointers")
def deploy_paged():
    batch, length, size, d = 16, 2048, 64, 128
    blocks, lengths = order(batch, length // size), same(length - 17, batch)
    decode = deploy("pagedattention", "flash_attn_with_kvcache")
    for dtype, heads, kv in ((FP16, 32, 8), (BF16, 16, 16)):
        caches = pages(batch * length // size, size, kv, d, dtype)
        once(lambda: decode(rand(batch, heads, d, dtype=dtype, scale=0.5), *caches, lengths, blocks))
    for name, width in (("INT8", d), ("INT4", d // 2)):
        quantized = [ints(256, batch * length // size, size, 8, width, dtype=torch.uint8) for _ in range(2)]
        meta = [rand(batch * length // size, size, 8, 2, dtype=FP16, scale=0.02) for _ in range(2)]
        once(lambda: decode(rand(batch, 32, d, dtype=FP16, scale=0.5), *quantized, lengths, blocks,
                            k_scales_zeros=meta[0], v_scales_zeros=meta[1], quant_policy=policy(name)))
    latent = rand(batch * length // size, size, 1, 576, scale=0.2)
    once(lambda: decode(rand(batch, 16, 576, scale=0.2), latent, latent[..., :512], lengths, blocks))


@case("lmdeploy", "attention by pointers")
def deploy_prefill():
    starts = numbers(0, 1000, 2048, 3500, 4096)
    prefill = deploy("flashattention", "flash_attn_varlen_func")
    for d, dtype, more in ((128, BF16, {"causal": True}), (64, FP16, {"causal": True}),
                           (128, FP16, {"causal": False}),
                           (128, BF16, {"causal": True, "window_size": (512, 512)})):
        q, k, v = rand(4096, 32, d, dtype=dtype, scale=0.5), rand(8, 4096, d, dtype=dtype, scale=0.5), rand(8, 4096, d, dtype=dtype, scale=0.5)
        once(lambda: prefill(q, k, v, starts, starts, 1452, 1452, **more))


@case("lmdeploy", "small products")
def deploy_experts():
    hidden, inner, experts, k = 2048, 768, 32, 8
    w1, w2 = rand(experts, 2 * inner, hidden, scale=0.02), rand(experts, hidden, inner, scale=0.02)
    for tokens in (1024, 16):
        weights, ids = routes(tokens, experts, k, INT64)
        once(lambda: deploy("fused_moe", "fused_moe")(rand(tokens, hidden), w1, w2, weights, ids, k,
                                                      renormalize=True))


@case("lmdeploy", "small products")
def deploy_quantized_experts():
    hidden, inner, experts, k, tokens = 2048, 768, 32, 8, 1024
    weights, ids = routes(tokens, experts, k, INT64)
    x, x_s = deploy("blocked_gemm_fp8", "quant_fp8")(rand(tokens, hidden), 128)
    w1, w2 = (rand(experts, n, m, scale=0.1).to(FP8) for n, m in ((2 * inner, hidden), (hidden, inner)))
    once(lambda: deploy("blocked_fp8_fused_moe", "fused_moe_blocked_fp8")(
        x, x_s, w1, scales(experts, 2 * inner // 128, hidden // 128), w2,
        scales(experts, hidden // 128, inner // 128), weights, ids, k, out_dtype=BF16))
    y, y_s = deploy("w8a8_triton_kernels", "per_token_quant_int8")(rand(tokens, hidden, dtype=FP16), 1e-7)
    once(lambda: deploy("w8a8_fused_moe", "fused_moe_w8a8")(
        y, y_s, bytes_of(experts, 2 * inner, hidden), scales(experts, 2 * inner, 1),
        bytes_of(experts, hidden, inner), scales(experts, hidden, 1), weights, ids, k))


@case("lmdeploy", "row reductions")
def deploy_routing():
    once(lambda: deploy("fused_noaux_tc", "fused_noaux_tc_routing")(rand(4096, 256, dtype=FP32),
                                                                    rand(256, dtype=FP32)))
    once(lambda: deploy("fused_single_group_router", "fused_single_group_topk_router")(
        rand(4096, 192, dtype=FP32).sigmoid(), rand(192, dtype=FP32), num_experts=192, top_k=8,
        routed_scaling_factor=2.5))
    once(lambda: deploy("dsv4.hc_prepost", "hc_pre_reduce")(rand(1024, 4, 4096), rand(1024, 4, dtype=FP32),
                                                            4))
    once(lambda: deploy("dsv4.hc_prepost", "hc_post_expand")(rand(1024, 4096), rand(1024, 4, 4096),
                                                             rand(1024, 4, dtype=FP32),
                                                             rand(1024, 4, 4, dtype=FP32), 4))
    once(lambda: deploy("gated_delta_preprocess", "gated_delta_preprocess")(
        rand(1, 4096, 16, 128), rand(1, 4096, 16, 128), rand(1, 4096, 32), rand(1, 4096, 32),
        rand(32, dtype=FP32), rand(32, dtype=FP32), 2))


@case("lmdeploy", "attention by pointers")
def deploy_index():
    batch, size, count = 64, 64, 64
    caches = rand(batch * count // 8, size, 128).to(FP8), scales(batch * count // 8, size)
    table = ints(batch * count // 8, batch, count)
    once(lambda: deploy("ds_index", "fp8_index")(rand(batch, 64, 128).to(FP8), scales(batch, 64), *caches,
                                                 torch.arange(batch + 1, device=DEVICE, dtype=INT32),
                                                 same(size * count, batch), table, 1, size * count))


# ---- lightllm

def light(module, name):
    return use("lightllm." + module, name)


def llama(module, name):
    return light("models.llama.triton_kernel." + module, name)


def requests(batch, length):
    """A table of the places of tokens, the requests' rows of it, their starts and lengths."""
    return order(batch, length), torch.arange(batch, device=DEVICE, dtype=INT32), torch.arange(batch, device=DEVICE, dtype=INT32) * length, same(length, batch)


@case("lightllm", "norms")
def light_norms():
    for rows, columns, dtype in ((4096, 4096, BF16), (64, 8192, FP16)):
        once(lambda: llama("rmsnorm", "rmsnorm_forward")(rand(rows, columns, dtype=dtype),
                                                         rand(columns, dtype=dtype), 1e-6))
    once(lambda: light("models.vit.triton_kernel.rms_norm_vit", "rms_norm")(rand(4096, 3200), rand(3200)))
    once(lambda: light("models.cohere.triton_kernels.layernorm",
                       "layernorm_forward")(rand(2048, 32, 128), rand(32, 128), 1e-6))


@case("lightllm", "gathers and rotations")
def light_rotary():
    for tokens, dtype in ((4096, BF16), (64, FP16)):
        q, k = rand(tokens, 32, 128, dtype=dtype), rand(tokens, 8, 128, dtype=dtype)
        once(lambda: llama("rotary_emb", "rotary_emb_fwd")(q, k, rand(tokens, 64, dtype=dtype),
                                                           rand(tokens, 64, dtype=dtype)))
        once(lambda: light("models.deepseek2.triton_kernel.rotary_emb", "rotary_emb_fwd")(
            rand(tokens, 32, 64, dtype=dtype), rand(tokens, 1, 64, dtype=dtype),
            rand(tokens, 32, dtype=dtype), rand(tokens, 32, dtype=dtype)))


@case("lightllm", "elementwise math")
def light_activations():
    x = rand(2048, 2 * 8192, dtype=FP16)
    once(lambda: llama("silu_and_mul", "silu_and_mul_fwd")(x, empty(2048, 8192, dtype=FP16)))
    once(lambda: light("models.gemma_2b.triton_kernel.gelu_and_mul",
                       "gelu_and_mul_fwd")(x, empty(2048, 8192, dtype=FP16)))
    once(lambda: light("models.vit.triton_kernel.gelu_vit", "gelu_fwd")(rand(4096, 4096)))
    once(lambda: light("common.basemodel.triton_kernel.add_in_place",
                       "add_in_place")(rand(4096, 4096), rand(4096, 4096)))


@case("lightllm", "gathers and rotations")
def light_gathers():
    once(lambda: llama("embedding", "embedding")(ints(16000, 4096, dtype=INT64),
                                                 rand(16000, 2048, dtype=FP16), 0, 16000,
                                                 empty(4096, 2048, dtype=FP16)))
    k, places = rand(4096, 8, 128, dtype=FP16), order(8192)[:4096]
    once(lambda: light("common.basemodel.triton_kernel.destindex_copy_kv",
                       "destindex_copy_kv")(k, places, empty(8192, 8, 128, dtype=FP16)))
    once(lambda: light("common.basemodel.triton_kernel.destindex_copy_kv", "destindex_copy_quantize_kv")(
        k, places, empty(8192, 8, 128, dtype=torch.int8), empty(8192, 8, 1, dtype=FP16)))
    once(lambda: llama("ppl_quant_copy_kv", "destindex_copy_quantize_kv")(
        k, places, empty(8192, 8, 128, dtype=torch.int8), empty(8192, 8, 16, dtype=FP16)))
    module = "models.deepseek2.triton_kernel."
    nope, rope = rand(4096, 1, 512), rand(4096, 1, 64)
    once(lambda: light(module + "destindex_copy_kv",
                       "destindex_copy_kv")(nope, rope, places, empty(8192, 1, 512), empty(8192, 1, 64)))
    once(lambda: light(module + "repeat_rope", "repeat_rope")(empty(4096, 16, 64), rope))
    table, index, starts, lengths = requests(8, 1024)
    once(lambda: light(module + "sample_kv", "sample_kv")(rand(8192, 1, 576), empty(8192, 1, 512),
                                                          empty(8192, 1, 64), index, 1024, lengths, table,
                                                          starts))


@case("lightllm", "attention by pointers")
def light_prefill():
    batch, length, heads = 4, 1024, 32
    table, index, starts, lengths = requests(batch, length)
    for d, dtype, kv in ((128, BF16, 8), (64, FP16, 32)):
        q, k, v = (rand(batch * length, n, d, dtype=dtype, scale=0.5) for n in (heads, kv, kv))
        once(lambda: llama("context_flashattention_nopad", "context_attention_fwd")(
            q, k, v, torch.empty_like(q), index, starts, lengths, same(0, batch), length, table))
        once(lambda: llama("context_flashattention_nopad",
                           "context_attention_fwd_no_prompt_cache")(q, k, v, torch.empty_like(q), starts,
                                                                    lengths, length))
    once(lambda: light("models.mistral.triton_kernel.context_flashattention_nopad", "context_attention_fwd")(
        q, k, v, torch.empty_like(q), starts, lengths, length, 256))
    once(lambda: light("models.bloom.triton_kernel.context_flashattention_nopad", "context_attention_fwd")(
        q, k, v, torch.empty_like(q), index, rand(heads, dtype=FP32), starts, lengths, same(0, batch), length,
        table))
    n = batch * length
    once(lambda: light("models.deepseek2.triton_kernel.context_flashattention_nopad_with_v",
                       "context_attention_fwd_with_v")(
        rand(n, 16, 128), rand(n, 16, 64), rand(n, 16, 128), rand(n, 1, 64), rand(n, 16, 128),
                           empty(n, 16, 128), starts, starts, lengths, same(0, batch),
        length, 0.07))


@case("lightllm", "attention by pointers")
def light_decode():
    batch, length, d = 16, 2048, 128
    table, index, starts, lengths = requests(batch, length)
    state = types.SimpleNamespace(batch_size=batch, max_len_in_batch=length, b_req_idx=index,
                                  b_seq_len=lengths, b_start_loc=starts,
                                  req_manager=types.SimpleNamespace(req_to_token_indexs=table))
    for heads, kv, dtype in ((32, 8, BF16), (16, 16, FP16)):
        q, k, v = rand(batch, heads, d, dtype=dtype,
                       scale=0.5), *(rand(batch * length, kv, d, dtype=dtype, scale=0.5) for _ in range(2))
        for module, name in (("gqa_flash_decoding", "gqa_token_decode"), ("flash_decoding", "token_decode")):
            once(lambda: llama(module, name + "_attention_flash_decoding")(q, state, heads, d, k, v,
                                                                           torch.empty_like(q)))
        once(lambda: llama("gqa_decode_flashattention_nopad",
                           "gqa_decode_attention_fwd")(q, k, v, torch.empty_like(q), table, index, lengths))
        logits = empty(heads, batch * length, dtype=dtype)
        once(lambda: llama("token_attention_nopad_att1",
                           "token_att_fwd")(q, k, logits, table, index, starts, lengths, length))
        once(lambda: llama("token_attention_nopad_softmax",
                           "token_softmax_fwd")(logits, starts, lengths, torch.empty_like(logits), length))
        once(lambda: llama("token_attention_nopad_reduceV",
                           "token_att_fwd2")(logits, v, torch.empty_like(q), table, index, starts, lengths))
        once(lambda: llama("token_attention_softmax_and_reducev",
                           "token_softmax_reducev_fwd")(logits, v, torch.empty_like(q), table, index, starts,
                                                        lengths))
    bytes_k = bytes_of(batch * length, 8, d)
    once(lambda: llama("token_attention_nopad_att1", "token_att_fwd_int8k")(
        rand(batch, 32, d, dtype=FP16), bytes_k, rand(batch * length, 8, 1, dtype=FP16, scale=0.01),
        empty(32, batch * length, dtype=FP16), table, index, starts, lengths, length))


@case("lightllm", "products")
def light_products():
    module = "common.basemodel.triton_kernel."
    for rows in (16, 512):
        x, w, s, z = rand(rows, 4096, dtype=FP16), words(512, 4096), rand(32, 4096, dtype=FP16, scale=0.01), words(32, 512)
        once(lambda: light(module + "dequantize_gemm_int4", "matmul_dequantize_int4_gptq")(x, w, s, z, 128))
        once(lambda: light(module + "dequantize_gemm_int4", "matmul_dequantize_int4_s2")(x, w, s, z, 128))
        once(lambda: light(module + "quantize_gemm_int8",
                           "matmul_quantize_int8")(x, bytes_of(4096, 4096).T.contiguous().T,
                                                   rand(4096, dtype=FP16, scale=0.01)))
    once(lambda: light(module + "dequantize_gemm_int4", "dequantize_int4")(w, s, z, DEVICE, FP16, 128))
    once(lambda: light(module + "bmm_scaled_fp8", "bmm_scaled_fp8")(
        rand(16, 256, 128).to(FP8), scales(16, 256, 1), rand(16, 512, 128).to(FP8).transpose(1, 2),
        scales(16, 512, 1), empty(16, 256, 512)))
    a, b = rand(1024, 4096).to(FP8), rand(4096, 4096).to(FP8).T
    once(lambda: light("common.quantization.triton_quant.fp8.fp8w8a8_block_gemm_kernel",
                       "w8a8_block_fp8_matmul")(
        a, b, scales(1024, 32), scales(32, 32).T, empty(1024, 4096), (128, 128)))


@case("lightllm", "quantization")
def light_quantization():
    module = "common.quantization.triton_quant.fp8."
    for rows, columns, dtype in ((4096, 7168, BF16), (64, 4096, FP16)):
        once(lambda: light(module + "fp8act_quant_kernel", "lightllm_per_token_group_quant_fp8")(
            rand(rows, columns, dtype=dtype), 128, empty(rows, columns, dtype=FP8),
            empty(rows, columns // 128, dtype=FP32)))
    once(lambda: light(module + "fp8act_quant_kernel", "tma_align_input_scale")(scales(4001, 56)))
    once(lambda: light(module + "fp8w8a8_block_quant_kernel", "mm_weight_quant")(rand(4096, 4096)))
    once(lambda: light("models.deepseek2.triton_kernel.weight_dequant",
                       "weight_dequant")(rand(4096, 4096).to(FP8), scales(32, 32)))


@case("lightllm", "sampling")
def light_sampling():
    module, batch, vocabulary = "common.basemodel.triton_kernel.", 64, 128256
    manager = types.SimpleNamespace(vocab_size=vocabulary,
                                    req_to_out_token_id_counter=ints(3, batch, vocabulary), **{
        f"req_to_{n}": torch.rand(batch, device=DEVICE) + 0.5
        for n in ("presence_penalty", "frequency_penalty", "repetition_penalty", "temperature",
                  "exponential_decay_length_penalty")})
    index = torch.arange(batch, device=DEVICE, dtype=INT32)
    once(lambda: light(module + "apply_penalty_gpu_cache", "apply_penalty_gpu_cache")(
        rand(batch, vocabulary, dtype=FP32), index, ints(10, batch),
        torch.zeros(batch, device=DEVICE, dtype=torch.bool), numbers(2), manager))
    once(lambda: light(module + "gen_sampling_params",
                       "token_id_counter")(ints(vocabulary, 8192),
                                           torch.zeros(vocabulary, device=DEVICE, dtype=INT32)))


@case("lightllm", "small products")
def light_experts():
    hidden, inner, experts, k = 2048, 768, 32, 8
    w1, w2 = rand(experts, 2 * inner, hidden, scale=0.02), rand(experts, hidden, inner, scale=0.02)
    for tokens in (1024, 16):
        weights, ids = routes(tokens, experts, k)
        once(lambda: light("common.fused_moe.grouped_fused_moe",
                           "fused_experts_impl")(rand(tokens, hidden), w1, w2, weights, ids))


@case("lightllm", "row reductions")
def light_routing():
    module = "common.fused_moe."
    once(lambda: light(module + "softmax_topk", "softmax_topk")(rand(4096, 128, dtype=FP32), 8, True))
    once(lambda: light(module + "grouped_topk", "triton_grouped_topk")(None, rand(4096, 256, dtype=FP32),
                                                                       rand(256, dtype=FP32), 8, True, 8, 4,
                                                                       "sigmoid"))
    once(lambda: light(module + "moe_sum_reduce", "moe_sum_reduce")(rand(1024, 8, 2048), empty(1024, 2048)))
    once(lambda: light(module + "moe_silu_and_mul_mix_quant_ep", "silu_and_mul_masked_post_quant_fwd")(
        rand(16, 256, 4096), empty(16, 256, 2048, dtype=FP8), empty(16, 256, 16, dtype=FP32), 128,
        ints(256, 16)))


# ---- unsloth

def sloth(module, name):
    return use("unsloth.kernels." + module, name)


@case("unsloth", "elementwise math")
def sloth_activations():
    e, g = rand(2, 1024, 8192), rand(2, 1024, 8192)
    for module, kinds in (("swiglu", ("swiglu_fg_kernel",)),
                          ("geglu", ("geglu_exact_forward_kernel", "geglu_approx_forward_kernel"))):
        for name in kinds:
            once(lambda: sloth(module, name)(e, g))
    for module, kinds in (("swiglu", ("swiglu_DWf_DW_dfg_kernel",)),
                          ("geglu", ("geglu_exact_backward_kernel", "geglu_approx_backward_kernel"))):
        for name in kinds:
            once(lambda: sloth(module, name)(*(rand(2048, 8192) for _ in range(3))))


@case("unsloth", "row reductions")
def sloth_losses():
    for rows, vocabulary, more in ((512, 32000, ()), (512, 128256, ()), (512, 32000, (30.0, 0.5))):
        x = rand(rows, vocabulary, grad=True)
        labels = ints(vocabulary, rows, dtype=INT64)
        both(lambda: sloth("cross_entropy_loss", "Fast_CrossEntropyLoss").apply(x, labels, *more))


@case("unsloth", "norms")
def sloth_norms():
    for rows, columns in ((2048, 4096), (4096, 2048)):
        for gemma in (False, True):
            both(lambda: sloth("rms_layernorm", "Fast_RMS_Layernorm").apply(rand(rows, columns, grad=True),
                                                                            rand(columns), 1e-6, gemma))
    both(lambda: sloth("layernorm", "Fast_Layernorm").apply(rand(2048, 4096, grad=True), rand(4096),
                                                            rand(4096), 1e-6))


@case("unsloth", "gathers and rotations")
def sloth_rotary():
    cos, sin = rand(2048, 64), rand(2048, 64)
    both(lambda: sloth("rope_embedding", "Fast_RoPE_Embedding").apply(rand(2, 2048, 32, 128, grad=True), cos,
                                                                      sin))
    q, k = rand(2, 32, 2048, 128, grad=True), rand(2, 8, 2048, 128, grad=True)
    both(lambda: sloth("rope_embedding", "Fast_RoPE_Embedding_QK").apply(q.clone(), k.clone(), cos, sin,
                                                                         ints(2048, 2, 2048)))


@case("unsloth", "quantization")
def sloth_fp8():
    once(lambda: sloth("fp8", "weight_dequant_block")(rand(4096, 4096).to(FP8), scales(32, 32)))
    once(lambda: sloth("fp8", "act_quant")(rand(4096, 4096)))
    once(lambda: sloth("fp8", "w8a8_block_fp8_matmul_triton")(
        rand(1024, 4096).to(FP8), rand(4096, 4096).to(FP8), scales(1024, 32), scales(32, 32), [128, 128],
        BF16))


# ---- scattermoe

@case("scattermoe", "small products")
def scatter_experts():
    from scattermoe.kernels import ops
    experts, k, hidden, inner = 16, 2, 2048, 1024
    for tokens, dtype in ((2048, BF16), (256, FP16)):
        _, ids = routes(tokens, experts, k)
        expert, index = torch.sort(ids.flatten().long())
        ends = torch.bincount(expert, minlength=experts).cumsum(0)
        x, w = rand(tokens, hidden, dtype=dtype), rand(experts, hidden, inner, dtype=dtype, scale=0.02)
        once(lambda: ops.scatter2scatter(x, w, expert, index, k))
        grouped = once(lambda: ops.group(x, index, fan_out=k))
        dy = rand(tokens * k, inner, dtype=dtype)
        once(lambda: ops.scatter2scatter(dy, w.permute(0, 2, 1), expert, index, 1, x_grouped=True))
        once(lambda: ops.group(dy, index, coeff=rand(tokens * k, dtype=dtype)))
        if grouped is not None:
            once(lambda: ops.group_bwd_W(dy, grouped, ends, experts))
    once(lambda: use("scattermoe.kernels.single", "single2scatter")(
        rand(1, hidden), rand(experts, hidden, inner, scale=0.02), ints(experts, 1, k, dtype=INT64)))


# ---- mlstm_kernels

def gates(heads, length):
    return rand(2, heads, length, dtype=FP32, grad=True), (rand(2, heads, length, dtype=FP32) +
                                                           3).requires_grad_()


@case("mlstm_kernels", "small products")
def mlstm_chunks():
    heads, length = 8, 2048
    for module, name in (("triton_xl_chunk", "mlstm_chunkwise__xl_chunk"),
                         ("triton_xl_chunk_siging", "mlstm_siging_chunkwise__xl_chunk"),
                         ("triton_limit_chunk", "mlstm_chunkwise__limit_chunk")):
        more = {"chunk_size": 64} if "limit" in module else {}
        both(lambda: use(f"mlstm_kernels.torch.chunkwise.{module}.fwbw", name)(
            *(rand(2, heads, length, d, grad=True, scale=0.5) for d in (64, 64, 128)), *gates(heads, length),
            autocast_kernel_dtype=BF16, **more))


@case("mlstm_kernels", "attention by pointers")
def mlstm_parallel():
    both(lambda: use("mlstm_kernels.torch.parallel.triton_limit_headdim.fwbw",
                     "mlstm_parallel__limit_headdim")(
        *(rand(2, 8, 2048, 64, grad=True, scale=0.5) for _ in range(3)), *gates(8, 2048),
                         autocast_kernel_dtype=BF16))


@case("mlstm_kernels", "recurrences")
def mlstm_steps():
    for batch, dqk, dv in ((8, 128, 256), (32, 256, 512)):
        once(lambda: use("mlstm_kernels.torch.recurrent.triton_step", "mlstm_recurrent_step__triton")(
            rand(batch, 8, dqk), rand(batch, 8, dqk), rand(batch, 8, dv), rand(batch, 8, 1),
            rand(batch, 8, 1), rand(batch, 8, dqk, dv, dtype=FP32), rand(batch, 8, dqk, dtype=FP32),
            rand(batch, 8, 1, dtype=FP32)))


if __name__ == "__main__":
    prepare()
    libraries.main(CASES)
