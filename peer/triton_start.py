"""A process from its start to the first result of softmax with Triton and PyTorch, its kernel in Triton's
cache, beside one that initialises CUDA through PyTorch and no more. Prints one JSON line for each.

For a machine with an NVIDIA GPU, PyTorch and Triton: `python3 triton_start.py [--rounds N] [--kernels DIR]`.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--kernels", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                                                      "kernels"))
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--begin", help="be one of the processes")
args = parser.parse_args()


def begin(what):
    import torch
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    if what == "device":
        return
    import importlib.util
    import triton
    spec = importlib.util.spec_from_file_location("softmax", os.path.join(args.kernels, "softmax.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = torch.arange(16000, device="cuda", dtype=torch.float32).reshape(16, 1000) % 7
    out = torch.empty_like(x)
    module.softmax_kernel[(16,)](out, x, 1000, 1000, 1000, BLOCK_SIZE=triton.next_power_of_2(1000))
    if abs(out.cpu()[0].sum().item() - 1) > 1e-3:
        sys.exit("wrong result")


def one(what, cache):
    t0 = time.perf_counter()
    subprocess.run([sys.executable, os.path.abspath(__file__), "--kernels", args.kernels, "--begin", what],
                   check=True, env={**os.environ, "TRITON_CACHE_DIR": cache})
    return (time.perf_counter() - t0) * 1e3


if args.begin:
    begin(args.begin)
    sys.exit(0)
with tempfile.TemporaryDirectory(prefix="triton-start-") as cache:
    one("softmax", cache)  # fills the cache
    times = {"device": [], "softmax": []}
    for _ in range(args.rounds):
        for what in times:
            times[what].append(one(what, cache))
base = statistics.median(times["device"])
for what, samples in times.items():
    row = dict(kernel="start", what="process: " + what, unit="ms",
               triton=round(statistics.median(samples), 1))
    if what != "device":
        row["over"] = round(row["triton"] - base, 1)
    print(json.dumps(row), flush=True)
