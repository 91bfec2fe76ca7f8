"""The Python door on a GPU, beside Triton and `nereid race`: results, times of kernels, host times of
launches.

    python peer/python_door.py [--rep MS] [--libraries DIR [--nereid BINARY] [--seconds S]] [--tutorials]

It needs PyTorch, Triton 3.6, the package (installed, or python/ on the path with libnereid.so.1 in it), and
libLLVM 22 (peer/pack-llvm packs one). Each line has Triton's figure first, then Nereid's.

--libraries is a folder as libraries.py has it. Its launches run by Triton, which capture.py records and
times, then through the plug-in with the same memory: the results are compared, and the launch is timed in the
same way. With --nereid the command races what was recorded: the last column is its time over the plug-in's,
1.0 if Python costs the kernel nothing; launches under 0.98 are measured three times on both sides. --case
runs the launches of functions of libraries.py, and nothing else. --tutorials runs the checks of DIR/tutorials
through the plug-in. --dry tries the script itself without a GPU: both sides are Nereid on the CPU.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import triton
import triton.language as tl

import nereid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernels"))
import matmul  # noqa: E402
import softmax  # noqa: E402
import vector_add  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import capture  # noqa: E402


@triton.jit
def four(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(c + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < n), mask=at < n)


@triton.jit
def twelve(a, b, c, n, i0, i1, i2, i3, i4, i5, i6, i7, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    s = i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7
    tl.store(c + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < n) + s, mask=at < n)


DEVICE = "cuda"


@contextlib.contextmanager
def through_nereid():
    """Kernels run through the plug-in; outside they are Triton's."""
    if DEVICE == "cpu":  # --dry: it is active anyway
        yield
        return
    nereid.activate("cuda")
    try:
        yield
    finally:
        nereid.deactivate()


WAIT = 300_000  # clock cycles, some 0.15 ms


@contextlib.contextmanager
def kernels_alone():
    """Keeps the host's time of a launch out of what do_bench measures: the GPU is busy until the launch is
    queued."""
    driver = triton.runtime.driver.active
    clear = driver.clear_cache

    def prepare(cache):
        torch.cuda.synchronize()
        clear(cache)
        torch.cuda._sleep(WAIT)

    driver.clear_cache = prepare
    try:
        yield
    finally:
        driver.clear_cache = clear


def milliseconds(f, rep):
    with kernels_alone() if DEVICE == "cuda" else contextlib.nullcontext():
        return triton.testing.do_bench(f, warmup=rep / 4, rep=rep, return_mode="median")


def drivers():
    """Yields the two drivers in turn, each active while it is tried."""
    yield "triton"
    with through_nereid():
        yield "nereid"


def host_us(f, n=2000, rounds=9):
    """Returns the host's microseconds of a launch: the median of rounds, each a queue that does not fill."""
    f()
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        left, spent = n, 0.0
        while left > 0:
            start = time.perf_counter()
            for _ in range(200):
                f()
            spent += time.perf_counter() - start
            torch.cuda.synchronize()
            left -= 200
        times.append(spent / n * 1e6)
    return statistics.median(times)


def launches():
    x, y, z = (torch.rand(1024, device=DEVICE) for _ in range(3))
    calls = {
        "3 tensors + 1 int": lambda: four[(1,)](x, y, z, 1000, BLOCK=1024),
        "3 tensors + 9 ints": lambda: twelve[(1,)](x, y, z, 1000, 2, 3, 4, 5, 6, 7, 8, 9, BLOCK=1024),
    }
    for name, f in calls.items():
        print(f"host time of a launch, {name}:", *(f"{d} {host_us(f):.2f} us" for d in drivers()))


def add(x, y):
    out, n = torch.empty_like(x), x.numel()
    vector_add.add_kernel[lambda m: (triton.cdiv(n, m["BLOCK_SIZE"]),)](x, y, out, n, BLOCK_SIZE=1024)
    return out


def rows(x):
    out = torch.empty_like(x)
    softmax.softmax_kernel[(x.shape[0],)](out, x, x.stride(0), out.stride(0), x.shape[1],
                                          BLOCK_SIZE=triton.next_power_of_2(x.shape[1]), num_warps=8)
    return out


def product(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)  # noqa: E731
    matmul.matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride())
    return c


def kernels(rep):
    torch.manual_seed(0)
    x, y = torch.randn(1 << 24, device=DEVICE), torch.randn(1 << 24, device=DEVICE)
    s = torch.randn(4096, 4096, device=DEVICE)
    a, b = (torch.randn(2048, 2048, device=DEVICE, dtype=torch.float16) for _ in range(2))
    cases = {
        "add, 16 Mi": (lambda: add(x, y), x + y, 0),
        "softmax, 4096 x 4096": (lambda: rows(s), torch.softmax(s, 1), 1e-6),
        "matmul, 2048, fp16": (lambda: product(a, b), a @ b, 0.2),
    }
    for name, (f, want, tolerance) in cases.items():
        out = []
        for d in drivers():
            wrong = (f() - want).abs().max().item()
            verdict = "" if wrong <= tolerance else f" WRONG BY {wrong}"
            ms = milliseconds(f, rep)
            out.append(f"{d} {ms * 1e3:.1f} us{verdict}")
        print(f"{name}:", *out)


def streams_and_graphs():
    with through_nereid():
        other_stream()
        graph()
        host_tensor()


def other_stream():
    x, side = torch.zeros(1 << 20, device=DEVICE), torch.cuda.Stream()
    with torch.cuda.stream(side):
        got = add(x + 1, x + 2)
    side.synchronize()
    print("another stream:", "right" if bool((got == 3).all()) else "WRONG")


def graph():
    x, out = torch.zeros(1 << 20, device=DEVICE), torch.zeros(1 << 20, device=DEVICE)
    grid = (triton.cdiv(x.numel(), 1024),)
    vector_add.add_kernel[grid](x, x, out, x.numel(), BLOCK_SIZE=1024)
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        vector_add.add_kernel[grid](x, x, out, x.numel(), BLOCK_SIZE=1024)
    x.fill_(4)
    g.replay()
    torch.cuda.synchronize()
    print("a graph:", "right" if bool((out == 8).all()) else "WRONG")


def host_tensor():
    """A tensor in host memory, where the kernel expects one on the GPU: it is copied there and back, or
    refused."""
    x, out = torch.arange(1024.0), torch.zeros(1024, device=DEVICE)
    try:
        vector_add.add_kernel[(1,)](x, x, out, 1024, BLOCK_SIZE=1024)
        torch.cuda.synchronize()
        print("a tensor of the host:", "right" if torch.equal(out.cpu(), 2 * x) else "WRONG")
    except Exception as e:
        print("a tensor of the host:", type(e).__name__, e)


def same(got, want, dtype):
    """Returns how far two storages of an element type are apart: the largest difference over the largest
    value."""
    if torch.equal(got, want):
        return 0.0
    kind = {short: getattr(torch, name.split(".")[1]) for name, short in capture.DTYPES.items()}[dtype]
    size = torch.empty(0, dtype=kind).element_size()
    a, b = (t[:t.numel() // size * size].view(kind).double() for t in (got, want))
    finite = torch.isfinite(a) & torch.isfinite(b)
    if not torch.equal(a[~finite].nan_to_num(7), b[~finite].nan_to_num(7)):
        return float("inf")
    a, b = a[finite], b[finite]
    return ((a - b).abs().max() / b.abs().max().clamp(min=1e-30)).item() if a.numel() else 0.0


# The largest difference, over the largest value, of sums in another order.
TOLERANCE = {"fp32": 2e-3, "fp64": 1e-9, "fp16": 1e-2, "bf16": 4e-2, "fp8e4nv": 0.2, "fp8e5": 0.3}


class Beside(capture.Recorder):
    """Records and times launches of Triton's, then makes each through the plug-in."""

    def __init__(self, out, root, most, until):
        super().__init__(out, root, per_kernel=1, max_bytes=150 << 20)
        self.most, self.until, self.rows = most, until, []

    def before(self, fn, args, kwargs, grid):
        if self.count >= self.most or time.time() > self.until:
            return None
        return super().before(fn, args, kwargs, grid)

    def after(self, result, launch, storages, before, again):
        name = f"{self.count:04d}-{launch['kernel']}"
        super().after(result, launch, storages, before, again)
        views = {key: torch.empty(0, dtype=torch.uint8, device=dev).set_(s) for key, s,
                 dev in storages.values()}
        want = {key: v.clone() for key, v in views.items()}
        row = {"case": name, "triton": milliseconds(again, 60), "again": again}
        try:
            with through_nereid():
                for key, v in views.items():
                    v.copy_(before[key])
                again()
                torch.cuda.synchronize()
                row["apart"] = self.apart(launch, views, want)
                row["plug-in"] = milliseconds(again, 60)
        except Exception as e:
            row["failed"] = f"{type(e).__name__}: {e}"[:300]
        for key, v in views.items():
            v.copy_(want[key])
        self.rows.append(row)

    def apart(self, launch, views, want):
        """Returns the largest difference, in tolerances: up to 1 is right. What comes of bf16 has its
        precision."""
        kinds = {}
        for a in launch["args"]:
            for t in a.get("items", ()) if a["kind"] == "tuple" else (a,):
                if "storage" in t:
                    kinds.setdefault(t["storage"], t["dtype"])
        floats = [TOLERANCE[d] for d in kinds.values() if d in TOLERANCE]
        allowed = {d: max(floats) if d in TOLERANCE else 1e-30 for d in kinds.values()}
        return max((same(views[k], want[k], d) / allowed[d] for k, d in kinds.items()), default=0.0)


# Functions of libraries.py, those of the libraries in turn; kernels that compile for long are last.
LAUNCHES = ("tutorial_elementwise", "tutorial_rows", "liger_elementwise", "liger_norms", "fla_cumsum",
            "liger_losses", "attorch_elementwise", "liger_rope", "attorch_norms", "fla_modules",
            "attorch_losses", "fla_elementwise", "fla_conv", "fla_losses", "fla_gated", "fla_delta")


def record(folder, out, most, seconds, cases):
    """Returns a row for each launch of the libraries."""
    with through_nereid():
        pass  # Triton is changed now, under the recorder
    launch, tune = capture.JITFunction.run, capture.Autotuner._bench
    recorder = Beside(out, folder, most, time.time() + seconds)
    capture.recorder = capture.install(out, folder, recorder=recorder)
    capture.fewer_configs(1)
    sys.path.insert(0, folder)
    import libraries
    libraries.DEVICE = DEVICE
    torch.manual_seed(0)
    for name in cases:
        if recorder.count < most and time.time() < recorder.until:
            start = time.time()
            with contextlib.redirect_stdout(io.StringIO()):
                libraries.once(getattr(libraries, name))
            print(f"  {name}: {recorder.count} launches, {time.time() - start:.1f} s", file=sys.stderr,
                  flush=True)
    capture.JITFunction.run, capture.Autotuner._bench = launch, tune
    return recorder.rows


def raced(binary, folder, out, rows):
    """Adds the times of `nereid race` to the rows."""
    cases = [os.path.join(out, r["case"] + ".safetensors") for r in rows]
    done = subprocess.run([binary, "race", "--json", "--device", DEVICE, "--root", folder, "--warmup", "15ms",
                           "--rep", "60ms", *cases], capture_output=True, text=True)
    if done.returncode:
        print(f"nereid race: {done.stderr[-2000:]}")
    by = {r["case"]: r for r in rows}
    for line in done.stdout.splitlines():
        got = json.loads(line) if line.startswith("{") else {}
        if got.get("case") in by and not got.get("failed"):
            by[got["case"]]["race"] = got["nereid"]["ms"]
        elif got.get("failed"):
            print(f"nereid race: {got.get('case')}: {got['failed'][:200]}")


ENOUGH = 0.98  # of race's speed


def once_more(binary, folder, out, rows):
    """Measures launches that fell short twice more, both sides in turn: their times are the medians of
    three."""
    short = [r for r in rows if "race" in r and r["race"] / r["plug-in"] < ENOUGH]
    times = [{k: [r[k]] for k in ("plug-in", "race")} for r in short]
    for _ in range(2 if short else 0):
        with through_nereid():
            for r in short:
                r["plug-in"] = milliseconds(r["again"], 60)
        raced(binary, folder, out, short)
        for r, t in zip(short, times):
            for k in t:
                t[k].append(r[k])
    for r, t in zip(short, times):
        r.update({k: statistics.median(v) for k, v in t.items()})
        figures = (f"{k} " + " ".join(f"{x * 1e3:.2f}" for x in v) for k, v in t.items())
        print("measured three times:", r["case"], *figures)


def shown(rows):
    """Prints a line for each launch, and the whole."""
    print(f"{'':5} {'Triton us':>10} {'plug-in us':>10} {'race us':>10} {'race/plug-in':>12}  launch")
    right, ratios = 0, []
    for r in rows:
        if "failed" in r:
            print(f"FAIL  {r['case']}: {r['failed']}")
            continue
        ok = r["apart"] <= 1
        right += ok
        ratio = r["race"] / r["plug-in"] if "race" in r else None
        if ratio is not None:
            ratios.append(ratio)
        us = [f"{r[k] * 1e3:10.2f}" if k in r else f"{'':10}" for k in ("triton", "plug-in", "race")]
        print("ok   " if ok else "WRONG", *us, f"{ratio:12.3f}" if ratio else " " * 12, "", r["case"],
              "" if ok else f"{r['apart']:.2g} tolerances apart")
    print(f"{right} of {len(rows)} launches right")
    if ratios:
        print(f"race over plug-in: mean {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.3f}, "
              f"at least 0.98: {sum(x >= ENOUGH for x in ratios)} of {len(ratios)}; at least 0.98 or under 0.3 us apart: "
              f"{sum(r['race'] / r['plug-in'] >= ENOUGH or r['plug-in'] - r['race'] < 0.0003 for r in rows if 'race' in r)}")


def libraries(folder, binary, most, seconds, cases):
    with tempfile.TemporaryDirectory() as out:
        rows = record(os.path.realpath(folder), out, most, seconds, cases)
        if binary and rows:
            raced(binary, os.path.realpath(folder), out, rows)
            once_more(binary, os.path.realpath(folder), out, rows)
        shown(rows)


def attention(space):
    """Runs tests of the tutorial on attention, which itself only measures. It has none without a causal
    mask."""
    for depth in (64, 128):
        space["test_op"](1, 2, 1024, depth, True, False, "bwd", "triton-fp16")
        space["test_op"](1, 2, 1024, depth, True, False, "fwd", "triton-fp8")


def tutorials(folder, names=("01", "02", "03", "05", "06")):
    triton.testing.Mark.run = lambda self, *args, **kwargs: None
    # Tutorial 06 then has the one config of its own tests: its list has others, wrong under a causal mask.
    os.environ.setdefault("PYTEST_VERSION", "0")
    capture.fewer_configs(3)
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py") or name[:2] not in names:
            continue
        start = time.time()
        try:
            with through_nereid(), contextlib.redirect_stdout(io.StringIO()):
                space = runpy.run_path(os.path.join(folder, name), run_name="__main__")
                if name[:2] == "06":
                    attention(space)
            print(f"{name}: right, {time.time() - start:.1f} s")
        except BaseException as e:
            print(f"{name}: {type(e).__name__}: {str(e)[:300]}")


def steps(args):
    if not args.case:
        yield launches
        yield lambda: kernels(args.rep)
    if not args.case and DEVICE == "cuda":
        yield streams_and_graphs
    if args.libraries and args.tutorials and not args.case:
        yield lambda: tutorials(os.path.join(args.libraries, "tutorials"))
    if args.libraries:
        yield lambda: libraries(args.libraries, args.nereid, args.most, args.seconds, args.case or LAUNCHES)


def dry():
    """Both sides are Nereid on the CPU, and there is nothing to wait for."""
    global DEVICE
    DEVICE = "cpu"
    nereid.activate("cpu")
    torch.cuda.synchronize = lambda: None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--libraries", default="", metavar="DIR")
    p.add_argument("--tutorials", action="store_true")
    p.add_argument("--nereid", default="", metavar="BINARY")
    p.add_argument("--most", type=int, default=60, help="launches of libraries")
    p.add_argument("--seconds", type=float, default=90,
                   help="for the launches of libraries, without the race")
    p.add_argument("--case", action="append", help="functions of libraries.py")
    p.add_argument("--rep", type=int, default=100, metavar="MS")
    p.add_argument("--dry", action="store_true")
    args = p.parse_args()
    if args.dry:
        dry()
    print(nereid.version(), nereid.devices())
    for step in steps(args):
        start = time.time()
        try:
            step()
        except Exception as e:
            print(f"FAILED: {type(e).__name__}: {e}")
        print(f"  {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
