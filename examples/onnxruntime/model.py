"""Writes the example models: model.py OURS.onnx THEIRS.onnx [float16]

Both compute a block of a transformer and a distribution over 100 tokens. OURS does it with the operators of
operators.toml, THEIRS with ONNX's own.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HEADS, DIM, TOKENS = 4, 32, 100
WIDTH = HEADS * DIM


def attention_ours(nodes):
    nodes.append(helper.make_node("Attention", ["q", "k", "v"], ["a", "lse"], domain="nereid", causal=1))


def attention_theirs(nodes):
    nodes += [
        helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "kt"], ["scores"]),
        helper.make_node("Mul", ["scores", "scale"], ["scaled"]),
        # a mask of the sequence's length: 0 up to the diagonal, and very small behind it
        helper.make_node("Shape", ["scores"], ["shape"], start=2),
        helper.make_node("Expand", ["minus", "shape"], ["full"]),
        helper.make_node("Trilu", ["full", "one"], ["mask"], upper=1),
        helper.make_node("Add", ["scaled", "mask"], ["masked"]),
        helper.make_node("Softmax", ["masked"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "v"], ["a"]),
    ]


def rms_norm_theirs(nodes):
    nodes += [
        helper.make_node("Cast", ["x"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["wide", "wide"], ["square"]),
        helper.make_node("ReduceMean", ["square", "last"], ["mean"], keepdims=1),
        helper.make_node("Add", ["mean", "eps"], ["more"]),
        helper.make_node("Sqrt", ["more"], ["root"]),
        helper.make_node("Div", ["wide", "root"], ["unit"]),
        helper.make_node("Cast", ["weight"], ["wide_weight"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["unit", "wide_weight"], ["wide_norm"]),
        helper.make_node("Cast", ["wide_norm"], ["norm"], to=TYPE),
    ]


def graph(ours):
    rng = np.random.default_rng(7)
    constants = {name: rng.standard_normal((WIDTH, columns)).astype(NUMPY) / 8
                 for name, columns in [("wq", WIDTH), ("wk", WIDTH), ("wv", WIDTH), ("wo", TOKENS)]}
    constants["weight"] = rng.random(WIDTH).astype(NUMPY)
    constants["heads"] = np.array([0, 0, HEADS, DIM], np.int64)
    constants["flat"] = np.array([0, 0, WIDTH], np.int64)
    nodes = []
    if ours:
        nodes.append(helper.make_node("RMSNorm", ["x", "weight"], ["norm"], domain="nereid", eps=1e-6))
    else:
        rms_norm_theirs(nodes)
        constants |= {"eps": np.array(1e-6, np.float32), "last": np.array([-1], np.int64),
                      "scale": np.array(DIM**-0.5, NUMPY), "minus": np.array(-3e4, NUMPY),
                      "one": np.array(1, np.int64)}
    for name in "qkv":
        nodes += [helper.make_node("MatMul", ["norm", "w" + name], [name + "1"]),
                  helper.make_node("Reshape", [name + "1", "heads"], [name + "2"]),
                  helper.make_node("Transpose", [name + "2"], [name], perm=[0, 2, 1, 3])]
    (attention_ours if ours else attention_theirs)(nodes)
    nodes += [helper.make_node("Transpose", ["a"], ["a1"], perm=[0, 2, 1, 3]),
              helper.make_node("Reshape", ["a1", "flat"], ["a2"]),
              helper.make_node("MatMul", ["a2", "wo"], ["logits"]),
              helper.make_node("Softmax", ["logits"], ["y"], domain="nereid" if ours else "")]
    return helper.make_graph(
        nodes, "block", [helper.make_tensor_value_info("x", TYPE, ["batch", "length", WIDTH])],
        [helper.make_tensor_value_info("y", TYPE, ["batch", "length", TOKENS])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()])


if __name__ == "__main__":
    half = sys.argv[3:] == ["float16"]
    TYPE, NUMPY = (TensorProto.FLOAT16, np.float16) if half else (TensorProto.FLOAT, np.float32)
    for path, ours in zip(sys.argv[1:3], [True, False]):
        opsets = [helper.make_opsetid("", 18)] + [helper.make_opsetid("nereid", 1)] * ours
        model = helper.make_model(graph(ours), opset_imports=opsets, ir_version=9)
        onnx.save(model, path)
