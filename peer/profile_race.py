"""Compares `nereid profile` with `nereid race` on five kernels of ../kernels, on a GPU:

  python3 peer/profile_race.py --out DIR [--rounds 3]

Records one launch of each with capture.py (tensors of 64 to 128 MB, products of 4096 cubed in fp16), and then, in
each round, has `nereid race` measure them, has it do so again below `nereid profile`, and prints the medians of both
and their sums. The last profile stays as DIR/profile.json, for Perfetto.
"""
import argparse
import glob
import importlib.util
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..")


def launches():
    """Launches the five kernels; capture.py runs this file for it."""
    import torch
    import triton

    def kernel(file, name):
        spec = importlib.util.spec_from_file_location(file, os.path.join(ROOT, "kernels", file + ".py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name)

    def rand(*shape, dtype=torch.float32):
        return torch.randn(*shape, device="cuda").to(dtype)

    n, half = 1 << 25, torch.bfloat16
    x, y = rand(n), rand(n)
    kernel("vector_add", "add_kernel")[(n // 1024,)](x, y, torch.empty_like(x), n, BLOCK_SIZE=1024)
    kernel("dropout", "dropout_kernel")[(n // 1024,)](x, torch.empty_like(x), n, 0.3, 123, BLOCK_SIZE=1024)
    a, b = rand(n, dtype=half), rand(n, dtype=half)
    kernel("llm", "swiglu_kernel")[(n // 1024,)](a, b, torch.empty_like(a), n, BLOCK_SIZE=1024)
    rows = a.view(-1, 4096)
    kernel("llm", "rms_norm_kernel")[(len(rows),)](rows, rand(4096, dtype=half), torch.empty_like(rows), 4096, 4096,
                                                   1e-6, BLOCK_SIZE=4096, num_warps=8)
    m = 4096
    p, q = rand(m, m, dtype=torch.float16), rand(m, m, dtype=torch.float16)
    programs = triton.cdiv(m, 128) * triton.cdiv(m, 256)
    kernel("matmul", "matmul_kernel").fn[(programs,)](
        p, q, torch.empty_like(p), m, m, m, m, 1, m, 1, m, 1, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, GROUP_M=8,
        num_warps=8, num_stages=3)


def raced(nereid, files):
    """The medians of `nereid race`, in µs by kernel."""
    out = subprocess.run([nereid, "race", "--json", "--device", "cuda:0", "--root", ROOT, *files],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    bad = [f"{r['case']}: {r['failed']}" for r in rows if r.get("failed")]
    if bad:
        raise SystemExit("\n".join(bad))
    return {r["kernel"]: r["nereid"]["ms"] * 1e3 for r in rows}


def profiled(nereid, files, trace):
    """The medians of the table of `nereid profile`, in µs by kernel."""
    process = subprocess.run(
        [nereid, "profile", "--trace", trace, "--", nereid, "race", "--device", "cuda:0", "--root", ROOT, *files],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    print(process.stderr)
    rows = [line.split() for line in process.stderr.splitlines() if " cuda:0 " in line]
    return {r[0]: float(r[5]) for r in rows if len(r) > 6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="folder for the recorded launches and the profile")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nereid", default=os.path.join(ROOT, "bin", "nereid"))
    args = parser.parse_args()
    cases = os.path.join(args.out, "cases")
    subprocess.run([sys.executable, os.path.join(HERE, "capture.py"), "--time", "--configs", "1", "--out", cases,
                    "--root", ROOT, "--max-bytes", "2000000000", os.path.abspath(__file__)],
                   env={**os.environ, "PROFILE_RACE_LAUNCHES": "1"}, check=True)
    files = sorted(glob.glob(os.path.join(cases, "*.safetensors")))
    sums = []
    for r in range(args.rounds):
        race = raced(args.nereid, files)
        profile = profiled(args.nereid, files, os.path.join(args.out, "profile.json"))
        for name in race:
            print(f"{name:20} race {race[name]:8.2f} µs, profile {profile[name]:8.2f}, "
                  f"{profile[name] / race[name]:.4f}")
        sums.append((sum(race.values()), sum(profile[name] for name in race)))
        print(f"round {r + 1}: race {sums[-1][0]:.2f} µs, profile {sums[-1][1]:.2f}, "
              f"{sums[-1][1] / sums[-1][0]:.4f}", flush=True)
    race, profile = (statistics.median(s) for s in zip(*sums))
    print(f"median of {args.rounds}: race {race:.2f} µs, profile {profile:.2f}, {profile / race:.4f}")
    if abs(profile / race - 1) > 0.03:
        raise SystemExit("the sums differ by more than 3%")


if __name__ == "__main__":
    launches() if os.environ.get("PROFILE_RACE_LAUNCHES") else main()
