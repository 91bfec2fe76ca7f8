"""Launches the kernels of triton_kernels, the library for mixtures of experts in Triton's repository, at the
sizes of its users:

  capture.py --time --out CASES --root LIBRARIES --max-bytes 500000000 --per-kernel 3 moe_library.py
      [--case NAME]...

LIBRARIES has the package triton_kernels of the Triton that runs. Weights of all 128 experts would take
gigabytes; the products have fewer experts of the same size. MOE_SCALE divides the numbers of tokens and the
sizes, for machines without a GPU.
"""
import os

import torch

import libraries
from libraries import BF16, DEVICE, FP8, FP16, FP32, once, rand

CASES = []
SCALE = int(os.environ.get("MOE_SCALE", "1"))
HIDDEN = 2880 // SCALE // 32 * 32


def case(kind):
    """Registers a function as a case: it launches kernels that belong to a class."""
    def register(f):
        CASES.append(("triton_kernels", kind, f))
        return f
    return register


def sized(*numbers):
    """The numbers divided by the scale, as multiples of 16."""
    made = [max(n // SCALE // 16 * 16, 16) for n in numbers]
    return made if len(made) > 1 else made[0]


def chosen(tokens, experts, act, dtype=BF16, **kwargs):
    from triton_kernels.topk import topk
    return topk(rand(tokens, experts, dtype=dtype), act, **kwargs)


def routed(tokens, experts, act):
    """Which tokens go to which expert: routing data, and indices to gather and to scatter by."""
    from triton_kernels.matmul_ogs import GatherIndx, RoutingData, ScatterIndx
    from triton_kernels.tensor import make_ragged_tensor_metadata
    meta = chosen(tokens, experts, act).mask_metadata
    there, back = meta.row_sorted_indx, meta.col_sorted_indx
    ragged = make_ragged_tensor_metadata(meta.col_sum, there.shape[0])
    data = RoutingData(None, ragged.slice_sizes, experts, act, ragged)
    return data, GatherIndx(back, there), ScatterIndx(there, back)


def columns(w):
    """w with its columns contiguous, as the library wants weights to be on Hopper."""
    return w.transpose(-1, -2).contiguous().transpose(-1, -2)


def swiglu():
    from triton_kernels.matmul_ogs import FnSpecs, FusedActivation
    from triton_kernels.swiglu import swiglu_fn
    return FusedActivation(FnSpecs("swiglu", swiglu_fn, ("alpha", "limit"), reduction_n=2), (1.702, 7.0))


def in_fp8(x):
    """x in fp8, and the scale that it was divided by."""
    from triton_kernels.numerics import InFlexData
    scale = (x.float().abs().max() / 448).reshape(1)
    return (x.float() / scale).to(FP8), InFlexData(dtype=FP8, scale=scale)


def four_bits(w, num_warps):
    """Weights in mxfp4 with Hopper's order of values and scales, and the precision that tells of them."""
    from triton_kernels.matmul_ogs import PrecisionConfig
    from triton_kernels.numerics_details.mxfp import downcast_to_mxfp
    from triton_kernels.tensor import FP4, convert_layout, wrap_torch_tensor
    from triton_kernels.tensor_details import layout
    values, scales = downcast_to_mxfp(w, torch.uint8, axis=1)
    if num_warps:
        kind, options = layout.make_default_matmul_mxfp4_w_layout(mx_axis=1)
        values = convert_layout(wrap_torch_tensor(values, dtype=FP4), kind, **options)
        kind, options = layout.make_default_matmul_mxfp4_w_scale_layout(mx_axis=1, num_warps=num_warps)
        scales = convert_layout(wrap_torch_tensor(scales), kind, **options)
    return values, PrecisionConfig(weight_scale=scales)


def layer(tokens, experts, act, x, w1, w2, **kwargs):
    """The two products of a layer: gathered rows with swiglu, and rows scattered and summed."""
    from triton_kernels.matmul_ogs import matmul_ogs
    data, gather, scatter = routed(tokens, experts, act)
    (first, precision1), (second, precision2) = w1, w2
    b1, b2 = (rand(experts, w.shape[-1], dtype=FP32) for w in (first, second))
    y = once(lambda: matmul_ogs(x, first, b1, data, gather_indx=gather, precision_config=precision1,
                                fused_activation=swiglu(), **kwargs))
    if y is not None:
        once(lambda: matmul_ogs(y, second, b2, data, scatter_indx=scatter, precision_config=precision2))


def moe_16_bits(tokens, experts, dtype):
    weights = [columns(rand(experts, *shape, dtype=dtype, scale=0.05))
               for shape in ((HIDDEN, HIDDEN), (HIDDEN // 2, HIDDEN))]
    layer(sized(tokens), experts, 4, rand(sized(tokens), HIDDEN, dtype=dtype), *[(w, None) for w in weights])


def moe_mxfp4(tokens, experts, num_warps):
    weights = [four_bits(rand(experts, *shape, scale=0.05), num_warps)
               for shape in ((HIDDEN, 2 * HIDDEN), (HIDDEN, HIDDEN))]
    layer(sized(tokens), experts, 4, rand(sized(tokens), HIDDEN), *weights)


def moe_fp8(tokens, experts):
    from triton_kernels.matmul_ogs import FlexCtx, PrecisionConfig, matmul_ogs
    data, gather, scatter = routed(sized(tokens), experts, 4)
    x, of_x = in_fp8(rand(sized(tokens), HIDDEN))
    w, of_w = in_fp8(rand(experts, HIDDEN, HIDDEN))
    w, bias = columns(w), rand(experts, HIDDEN, dtype=FP32)
    precision = PrecisionConfig(flex_ctx=FlexCtx(lhs_data=of_x, rhs_data=of_w), out_dtype=BF16)
    once(lambda: matmul_ogs(x, w, bias, data, gather_indx=gather, precision_config=precision,
                            fused_activation=swiglu()))
    rows, of_rows = in_fp8(rand(4 * sized(tokens), HIDDEN))
    precision = PrecisionConfig(flex_ctx=FlexCtx(lhs_data=of_rows, rhs_data=of_w), out_dtype=BF16)
    once(lambda: matmul_ogs(rows, w, bias, data, scatter_indx=scatter, precision_config=precision))


def moe_products(name, f, *args):
    """Registers the products of one layer as a case of their own: Triton takes seconds to compile each."""
    def products():
        f(*args)
    products.__name__ = name
    case("products")(products)


moe_products("moe_bf16_2048", moe_16_bits, 2048, 8, BF16)
moe_products("moe_bf16_256", moe_16_bits, 256, 16, BF16)
moe_products("moe_fp16_8192", moe_16_bits, 8192, 4, FP16)
moe_products("moe_mxfp4_4096", moe_mxfp4, 4096, 16, 8)
moe_products("moe_mxfp4_1024", moe_mxfp4, 1024, 32, 8)
moe_products("moe_mxfp4_64", moe_mxfp4, 64, 32, 4)
moe_products("moe_mxfp4_strided", moe_mxfp4, 1024, 32, 0)
moe_products("moe_fp8_4096", moe_fp8, 4096, 8)
moe_products("moe_fp8_512", moe_fp8, 512, 16)


@case("products")
def dense_16_bits():
    from triton_kernels.matmul_ogs import matmul_ogs
    size = sized(4096)
    for tokens, dtype in ((4096, BF16), (8192, FP16), (128, BF16), (1024, BF16)):
        x, w = rand(sized(tokens), size, dtype=dtype), columns(rand(1, size, size, dtype=dtype, scale=0.05))
        once(lambda: matmul_ogs(x, w, rand(1, size, dtype=FP32)))


@case("products")
def dense_fp8():
    from triton_kernels.matmul_ogs import FlexCtx, PrecisionConfig, matmul_ogs
    size = sized(4096)
    for tokens in (4096, 256):
        (x, of_x), (w, of_w) = in_fp8(rand(sized(tokens), size)), in_fp8(rand(1, size, size))
        precision = PrecisionConfig(flex_ctx=FlexCtx(lhs_data=of_x, rhs_data=of_w), out_dtype=BF16)
        once(lambda: matmul_ogs(x, columns(w), None, precision_config=precision))


@case("products")
def gate():
    from triton_kernels.matmul_ogs import matmul_ogs
    for tokens in (2048, 8192):
        once(lambda: matmul_ogs(rand(sized(tokens), HIDDEN), columns(rand(1, HIDDEN, 128)),
                                rand(1, 128, dtype=FP32)))


@case("products")
def ragged():
    from triton_kernels.matmul_ogs import matmul_ogs
    experts, size = 8, sized(2048)
    data, _, _ = routed(sized(2048), experts, 4)
    x, w = rand(4 * sized(2048), size), rand(experts, size, size, scale=0.05)
    once(lambda: matmul_ogs(x, w, None, data))
    once(lambda: matmul_ogs(x, columns(w), None, data, gammas=rand(x.shape[0], dtype=FP32)))


@case("products")
def batched():
    from triton_kernels.matmul_ogs import matmul_ogs
    size = sized(1024)
    x, w = rand(16, size, size, dtype=FP16), rand(16, size, size, dtype=FP16)
    once(lambda: matmul_ogs(x, w, rand(16, size, dtype=FP32)))


@case("sorting")
def routing():
    for tokens, experts, act, dtype in ((4096, 128, 4, BF16), (8192, 128, 8, FP32), (1024, 32, 4, FP16)):
        once(lambda: routed(sized(tokens), experts, act))
        x = rand(sized(tokens), experts, dtype=dtype, grad=True)
        once(lambda: topk_and_back(x, act))


def topk_and_back(x, act):
    from triton_kernels.topk import topk_backward, topk_forward
    vals, index, _ = topk_forward(x.detach(), act)
    topk_backward(x.detach(), index, torch.randn_like(vals), act, None, True)


@case("sorting")
def compact():
    from triton_kernels.compaction import compaction
    picked = chosen(sized(8192), 128, 8)
    once(lambda: compaction(picked.vals, picked.indx, picked.mask))


@case("elementwise math")
def activation():
    from triton_kernels.swiglu import PrecisionConfig, swiglu
    for tokens, dtype in ((8192, BF16), (4096, FP32), (512, FP16)):
        once(lambda: swiglu(rand(sized(tokens), 2 * HIDDEN, dtype=dtype), 1.702, PrecisionConfig(limit=7.0)))


@case("row reductions")
def sums():
    from triton_kernels.reduce import reduce
    tokens = sized(4096)
    x = rand(tokens, 4, HIDDEN)
    once(lambda: reduce(x, 1))
    once(lambda: reduce(x, 1, scale=rand(tokens, 4, 1, dtype=FP32).expand_as(x)))
    once(lambda: reduce(x, 1,
                        mask=(torch.rand(tokens, 4, 1, device=DEVICE) > 0.3).to(torch.int8).expand_as(x)))
    once(lambda: reduce(rand(8, sized(512), sized(4096), dtype=FP32), 0, y_dtype=BF16))


@case("elementwise math")
def quantised():
    from triton_kernels.numerics_details.mxfp import downcast_to_mxfp, upcast_from_mxfp
    for dtype in (BF16, FP32):
        x = rand(*sized(8192, 4096), dtype=dtype)
        for kind in (torch.uint8, FP8, torch.float8_e5m2):
            made = once(lambda: downcast_to_mxfp(x, kind, axis=-1))
            if made:
                once(lambda: upcast_from_mxfp(*made, dtype, axis=-1))


if __name__ == "__main__":
    libraries.main(CASES)
