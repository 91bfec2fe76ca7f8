"""Runs the kernels of internal/conform/testdata/versions.py in the interpreters of several releases of
Triton, and keeps the results.

  version_results.py RELEASE=FOLDER ... OUT.json.gz
      as versions.py. OUT has {release: {kernel: what it has stored, in hexadecimal, or "error: " and the
          reason}}.

The inputs are those of versionKernel.input in internal/conform/versions_test.go. NumPy is needed, PyTorch and
a GPU are not.
"""
import gzip
import importlib.util
import json
import os
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = [0, 0.1, -0.1, 0.3, 1, -2, 0.7, 3, 0.05, -0.3, 5, 0.2, -7, 1.1, 0.9, -0.7]
NAMES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "i32": "int32", "i1": "bool"}
STORED = {"fp32": np.float32, "fp16": np.float16, "bf16": np.uint16, "i32": np.int32, "i1": np.uint8}


class DType:

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


# Triton remembers types by the address of the dtype, so each is one object.
DTYPES = {kind: DType(name) for kind, name in NAMES.items()}


class Array:
    """The part of a PyTorch tensor that the interpreters ask for, over memory of NumPy. Copies to the host
    are the array itself."""

    def __init__(self, kind, data):
        self.dtype, self.data = DTYPES[kind], data

    def data_ptr(self):
        return self.data.ctypes.data

    def untyped_storage(self):
        return self

    def cpu(self):
        return self

    def new_empty(self, size, device):
        return self

    def set_(self, storage, offset, size, stride):
        pass

    def copy_(self, other):
        pass

    def storage_offset(self):
        return 0

    def size(self):
        return self.data.shape

    def stride(self):
        return (1, )


def given(kind):
    if kind == "i32":
        return np.array([i % 16 - 8 for i in range(256)], np.int32)
    wide = np.array([VALUES[i % 16] for i in range(256)], np.float64)
    if kind == "bf16":
        bits = wide.astype(np.float32).view(np.uint32)
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return wide.astype(STORED[kind])


def run():
    """In a process with the wheel of one release: prints the results."""
    import versions
    spec = importlib.util.spec_from_file_location("versions_kernels", versions.KERNELS)
    module = importlib.util.module_from_spec(spec)
    sys.modules["versions_kernels"] = module
    spec.loader.exec_module(module)
    out = {}
    for k in versions.specs():
        kinds = [text.strip().lstrip("*") for text in k["signature"].split(",")]
        x, y = Array(kinds[0], given(kinds[0])), Array(kinds[1], np.zeros(256, STORED[kinds[1]]))
        try:
            getattr(module, k["name"])[(1, )](x, y)
        except Exception as e:
            while e.__cause__ is not None:
                e = e.__cause__
            out[k["name"]] = "error: " + (str(e).strip().splitlines() or [type(e).__name__])[-1]
            continue
        out[k["name"]] = y.data.tobytes().hex()
    json.dump(out, sys.stdout)


def main():
    if sys.argv[1:] == ["--run"]:
        return run()
    *releases, path = sys.argv[1:]
    answers = {}
    for release, _, folder in (r.partition("=") for r in releases):
        env = dict(os.environ, PYTHONPATH=folder, TRITON_INTERPRET="1", PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--run"], env=env, check=True,
                              stdout=subprocess.PIPE)
        answers[release] = json.loads(done.stdout)
        print(release, sum(not r.startswith("error: ") for r in answers[release].values()), "of",
              len(answers[release]), "run")
    with open(path, "wb") as f:
        f.write(gzip.compress(json.dumps(answers, indent=0).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
