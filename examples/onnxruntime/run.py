"""Runs both models in ONNX Runtime and compares them: run.py LIBRARY OURS.onnx THEIRS.onnx"""
import sys

import numpy as np
import onnxruntime as ort

library, ours, theirs = sys.argv[1:4]
options = ort.SessionOptions()
options.register_custom_ops_library(library)
providers = ort.get_available_providers()
a = ort.InferenceSession(ours, options, providers=providers)
b = ort.InferenceSession(theirs, providers=providers)

half = a.get_inputs()[0].type == "tensor(float16)"
dtype = np.float16 if half else np.float32
for batch, length in [(1, 7), (2, 64), (3, 200)]:
    x = np.random.default_rng(length).standard_normal((batch, length, 128)).astype(dtype)
    got, want = a.run(None, {"x": x})[0], b.run(None, {"x": x})[0]
    worst = np.abs(got.astype(np.float64) - want).max()
    print(f"{batch} x {length}: {got.dtype} {list(got.shape)}, off by {worst:.1e} at most")
    assert got.shape == want.shape and worst < (1e-2 if half else 1e-5)
print("equal, ONNX Runtime", ort.__version__)
