"""Makes the GPU tables of docs/PERFORMANCE.md, all of one commit:

  tables.py --commit ID --out DIR [--only SECTION]... [--budget SECONDS] [--root LIBRARIES]
  tables.py --insert DIR [--project FOLDER]

The first needs an NVIDIA GPU, PyTorch, Triton and bin/nereid, and writes DIR/SECTION.json and DIR/SECTION.md.
The second needs none of them: it puts what the first wrote between the marks `<!-- table SECTION -->` and
`<!-- end -->` of docs/PERFORMANCE.md and README.md, and refuses files of different commits. Products and
attention that are measured again at the same commit show the median of the sittings. Sections, each with what
it takes of a GPU's time:

  launches    what a warm launch takes beyond the driver's call, medians of five processes; Triton's (20 s)
  products    square products beside cuBLAS: fp16, bf16, fp8, 512 to 8192 (2 min)
  attention   beside cuDNN: forward, fp16 and bf16, heads of 64 and 128, causal and not, 1k, 4k, 16k
      positions (3 min)
  backward    tutorial 06's backward pass beside Triton and cuDNN's (1 min; needs --root)
  kernels     the kernels of nereid bench that move memory, beside Triton (2 min)
  tutorials   Triton's tutorials 06, 08 and 09 (5 min; needs --root)
  race        peer/libraries.py (10 min; needs --root); --library NAME takes a part, and parts add up
  unseen      peer/unseen.py (4 min; needs --root)
  serving     peer/serving.py (4 min; needs --root)

Both sides have the same numbers (data.py), clear the L2 cache before each run and take turns. A peer has the
better of two ways to be timed: do_bench as it is, which queues runs ahead (plain), and with each run ended
before the next is queued (paced), as nereid measures. The ratio is the peer's time over ours: above 1 we are
faster. A section that spends its budget leaves out the rest and says how much that is; a line whose result is
wrong is counted as failed.
"""
import argparse
import contextlib
import glob
import json
import math
import os
import re
import statistics
import subprocess
import sys
import textwrap
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES, LENGTHS = (512, 1024, 2048, 4096, 8192), (1024, 4096, 16384)
TOLERANCES = {"fp16": 4e-3, "bf16": 2e-2, "fp8e4nv": 6e-2}  # as internal/bench has them


class Budget:
    """Seconds that a section may take."""

    def __init__(self, seconds):
        self.end = time.time() + seconds

    def left(self):
        return self.end - time.time()


class Turns:
    """A process of `nereid bench --turns`, which measures lines on request."""

    def __init__(self, nereid, device):
        command = [nereid, "bench", "--device", device, "--turns", "--json"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line, ms):
        """The row of a line that is measured for so many milliseconds."""
        request = f"{ms}ms {line}"
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        for text in self.process.stdout:
            row = json.loads(text)
            if row.get("turn") == request:
                return row
            print(text, end="", file=sys.stderr)  # a tile that does not fit the GPU
        raise SystemExit("nereid bench --turns ended")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def middle(values):
    return statistics.median(values) if values else None


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def peer_turn(run, ms):
    """Milliseconds of a run: plain and paced."""
    import triton
    from capture import paced
    plain = triton.testing.do_bench(run, warmup=ms / 4, rep=ms, return_mode="median")
    with paced():
        return plain, triton.testing.do_bench(run, warmup=ms / 4, rep=ms, return_mode="median")


def in_turn(turns, line, work, peer, ms, rounds):
    """Measures a line and its peer, a function, in turn. work is in TFLOP."""
    first = turns.ask(line, 1)  # chooses the tile
    if first.get("failed"):
        return {"line": line, "failed": first["failed"]}
    peer()
    ours, plain, paced_ = [], [], []
    for r in range(rounds):
        for side in (0, 1) if r % 2 == 0 else (1, 0):
            if side == 0:
                row = turns.ask(line, ms)
                if row.get("failed"):
                    return {"line": line, "failed": row["failed"]}
                ours.append(row["nereid"])
            else:
                a, b = peer_turn(peer, ms)
                plain.append(work / a * 1e3)
                paced_.append(work / b * 1e3)
    return {"line": line, "nereid": middle(ours), "plain": middle(plain), "paced": middle(paced_),
            "tile": first.get("best"), "rounds": {"nereid": ours, "plain": plain, "paced": paced_}}


def compared(row):
    """The ratio to the better way to time the peer, and to do_bench as it is."""
    return row["nereid"] / max(row["plain"], row["paced"]), row["nereid"] / row["plain"]


def same_numbers():
    """Fails unless this GPU makes the numbers that data.py and nereid make."""
    import torch
    import data
    got = (data.tensor(3, (1000,), torch.float32) * 4096).round().int().tolist()
    if got != [data.normals()[data.place(3, i)] for i in range(1000)]:
        raise SystemExit("data.tensor makes other numbers than data.place")


def check(what, got, want, dtype):
    """Fails unless the peer computes what we are compared with: float64 on some rows."""
    error = ((got.double() - want).abs() / want.abs().clamp(
        min=want.square().mean().sqrt().item())).max().item()
    if not error <= TOLERANCES[dtype]:
        raise SystemExit(f"{what}: the peer's result is off by {error:.2g}")


# ---- products

def cublas(dtype, n):
    """A product by cuBLAS, whose result is checked."""
    import torch
    import data
    kind = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp8e4nv": torch.float8_e4m3fn}[dtype]
    a, b = (data.tensor(seed, (n, n), kind) for seed in range(2))
    if dtype == "fp8e4nv":
        one = torch.ones((), device="cuda")
        run, right = lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=torch.float16,
                                              use_fast_accum=True), b.to(torch.float16).T
    else:
        c = torch.empty(n, n, device="cuda", dtype=kind)
        run, right = lambda: torch.mm(a, b, out=c), b
    rows = torch.arange(0, n, n // 8, device="cuda")
    left = a.view(torch.uint8)[rows].view(kind).to(torch.float16) if dtype == "fp8e4nv" else a[rows]
    check(f"cuBLAS {dtype} {n}", run()[rows], left.double() @ right.double(), dtype)
    return run


def products(args, budget):
    import torch
    same_numbers()
    turns, rows, left_out = Turns(args.nereid, args.device), [], 0
    for dtype in ("fp16", "bf16", "fp8e4nv"):
        for n in SIZES:
            if budget.left() < 5:
                left_out += 1
                continue
            line = f"{'matmul_fp8' if dtype == 'fp8e4nv' else 'matmul'} {dtype} {n}"
            rows.append({"dtype": dtype, "n": n, **in_turn(turns, line, 2 * n**3 / 1e12, cublas(dtype, n), 20
                                                           if n <= 1024 else 100, args.rounds)})
            torch.cuda.empty_cache()
            progress(rows[-1])
    turns.close()
    return {"rows": rows, "left_out": left_out}


def cell(row, show):
    """What a table says of a row that may be missing or have failed."""
    return "–" if row is None else "failed" if "failed" in row else show(row)


def products_table(d):
    by = {(r["dtype"], r["n"]): r for r in d["rows"]}
    lines = ["| type | " + " | ".join(f"{n}³" for n in SIZES) + " |", "|" + "---|" * (len(SIZES) + 1)]
    for dtype, name in (("fp16", "fp16"), ("bf16", "bf16"), ("fp8e4nv", "fp8")):
        cells = [by.get((dtype, n)) for n in SIZES]
        show = lambda f: " | ".join(cell(c, f) for c in cells)
        lines.append(f"| {name}, Nereid; cuBLAS | " +
                     show(lambda c: f"{c['nereid']:.0f}; {max(c['plain'], c['paced']):.0f}") + " |")
        lines.append("| ratio | " + show(lambda c: f"{compared(c)[0]:.3f}") + " |")
        lines.append("| ratio to `do_bench` as it is | " + show(lambda c: f"{compared(c)[1]:.3f}") + " |")
    return lines + ["", verdict(d)]


# ---- attention

def attention_shape(seq, d):
    return max(1, 16384 // seq), 32 * 64 // d, seq, d


@contextlib.contextmanager
def cudnn():
    """Chooses cuDNN for scaled_dot_product_attention, which fails if cuDNN cannot do it."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
        yield


def cudnn_attention(dtype, seq, d, causal):
    """Attention by cuDNN, whose result is checked."""
    import torch
    import data
    kind = {"fp16": torch.float16, "bf16": torch.bfloat16}[dtype]
    shape = attention_shape(seq, d)
    q, k, v = (data.tensor(seed, shape, kind) for seed in range(3))
    run = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    at = torch.tensor([0, 1, seq // 3, seq - 1], device="cuda")
    scores = q[-1, -1, at].double() @ k[-1, -1].double().T * d**-0.5
    if causal:
        scores.masked_fill_(torch.arange(seq, device="cuda")[None] > at[:, None], float("-inf"))
    with cudnn():
        got = run()[-1, -1, at]
    want = torch.softmax(scores, -1) @ v[-1, -1].double()
    for g, w in zip(got, want):
        check(f"cuDNN {dtype} {seq} {d}", g, w, dtype)
    return run


def attention(args, budget):
    import torch
    same_numbers()
    turns, rows, left_out = Turns(args.nereid, args.device), [], 0
    with cudnn():
        for dtype in ("fp16", "bf16"):
            for d in (64, 128):
                for causal in (False, True):
                    for seq in LENGTHS:
                        if budget.left() < 6:
                            left_out += 1
                            continue
                        z, h, _, _ = attention_shape(seq, d)
                        work = 4 * z * h * seq * seq * d / 1e12 / (2 if causal else 1)
                        line = f"attention {dtype} {seq} {d}" + (" causal" if causal else "")
                        peer = cudnn_attention(dtype, seq, d, causal)
                        rows.append({"dtype": dtype, "d": d, "causal": causal, "seq": seq,
                                     **in_turn(turns, line, work, peer, 100, args.rounds)})
                        torch.cuda.empty_cache()
                        progress(rows[-1])
    turns.close()
    return {"rows": rows, "left_out": left_out}


def attention_table(d):
    by = {(r["dtype"], r["d"], r["causal"], r["seq"]): r for r in d["rows"]}
    lines = ["| attention | Nereid | cuDNN | ratio | to `do_bench` as it is |", "|---|---|---|---|---|"]
    for dtype in ("fp16", "bf16"):
        for size in (64, 128):
            for causal in (False, True):
                cells = [by.get((dtype, size, causal, seq)) for seq in LENGTHS]
                show = lambda f: "; ".join(cell(c, f) for c in cells)
                name = "the same, causal" if causal else f"{dtype}, heads of {size}"
                columns = [show(lambda c: f"{c['nereid']:.0f}"),
                           show(lambda c: f"{max(c['plain'], c['paced']):.0f}"),
                           show(lambda c: f"{compared(c)[0]:.3f}"), show(lambda c: f"{compared(c)[1]:.3f}")]
                lines.append(f"| {name} | {' | '.join(columns)} |")
    return lines + ["", verdict(d)]


def verdict(d):
    """How many lines there are, failed and left-out ones included, and how many are at 1.0."""
    good = [compared(r)[0] for r in d["rows"] if "failed" not in r]
    text = "No line"
    if good:
        text = (f"{len(good)} lines, {sum(r >= 1 for r in good)} at 1.0 or more, "
                f"least {min(good):.3f}, mean {mean(good):.3f}")
    return text + f"; {len(d['rows']) - len(good)} failed, {d['left_out']} left out."


# ---- launches

def launches(args, budget):
    rows, failed = [], 0
    for _ in range(5):
        done = subprocess.run([args.nereid, "bench", "--device", args.device, "--only", "launch", "--json"],
                              capture_output=True, text=True)
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        failed += done.returncode != 0 or any("failed" in r for r in found)
        rows += [r for r in found if r.get("form")]
    peer = subprocess.run([sys.executable, os.path.join(HERE, "triton_peer.py"), "--only", "launch"],
                          capture_output=True, text=True)
    triton = {r["what"]: r["triton"] for r in map(json.loads,
                                                  filter(lambda l: l.startswith("{"),
                                                         peer.stdout.splitlines())) if "triton" in r
              and "what" in r and "kernel" in r}
    return {"rows": rows, "failed": failed, "triton": triton}


def launches_table(d):
    lines = ["| host side, µs over `cuLaunchKernel` | `Launch` | `Kernel.Bind` | generated | Triton |",
             "|---|---|---|---|---|"]
    for what, name in (("add", "`add_kernel`, 5 parameters"), ("matmul", "`matmul_kernel`, 17 parameters")):
        over = {f: [r["over"] for r in d["rows"] if r["what"].startswith(what) and r["form"] == f]
                for f in ("Launch", "Bind", "generated")}
        raw = middle([r["nereid"] for r in d["rows"] if r["what"].startswith(what) and r["form"] == "raw"])
        triton = [t - raw for w, t in d["triton"].items() if w.startswith(what)]
        show = lambda v: f"{middle(v):.2f} ({min(v):.2f} to {max(v):.2f})" if v else "–"
        lines.append(f"| {name} | " + " | ".join(show(over[f]) for f in over) +
                     f" | {f'{triton[0]:.1f}' if triton else '–'} |")
    raw = [r["nereid"] for r in d["rows"] if r["form"] == "raw"]
    most = max((r["allocs"] for r in d["rows"]), default=0)
    return lines + [
        "", "Medians of five processes, and their range; "
        f"the driver's call takes {min(raw):.1f} to {max(raw):.1f} µs. "
        f"Allocations in a launch: {most:.0f}. Failed: {d['failed']}."]


# ---- kernels that move memory

def kernels(args, budget):
    keep = os.path.join(args.out, "kernels.lines")
    only = [a for job in ("vector_add", "softmax", "layer_norm", "small") for a in ("--only", job)]
    command = [sys.executable, os.path.join(HERE, "race.py"), "--nereid", args.nereid, "--device",
               args.device, "--keep", keep, "--rounds", "2"]
    done = subprocess.run(command + only, capture_output=True, text=True)
    with contextlib.suppress(FileNotFoundError), open(keep) as f:
        return {"rows": [json.loads(line) for line in f], "failed": int(done.returncode != 0),
                "note": done.stderr[-300:] if done.returncode else ""}
    return {"rows": [], "failed": 1, "note": done.stdout[-500:] + done.stderr[-500:]}


def kernels_table(d):
    sides = {side: {tuple(r["key"]): r["rounds"] for r in d["rows"] if r["side"] == side}
             for side in ("nereid", "triton")}
    lines = ["| kernel | size | Nereid, GB/s | Triton | ratio |", "|---|---|---|---|---|"]
    ratios = []
    for key, ours in sides["nereid"].items():
        if key in sides["triton"]:
            a, b = max(ours), max(sides["triton"][key])
            ratios.append(a / b)
            lines.append(f"| {key[0]} {key[1]} | {key[2]} | {a:.0f} | {b:.0f} | {a / b:.2f} |")
    if not ratios:
        return lines + ["", "Failed."]
    missing = len(sides["nereid"]) - len(ratios)
    return lines + [
        "", f"{len(ratios)} lines, least {min(ratios):.2f}, mean {mean(ratios):.2f}; "
        f"{d['failed']} failed, {missing} without Triton's."]


# ---- recorded launches

def record_and_race(args, budget, program, extra, max_bytes=200000000, configs=2, per_kernel=2, name="race"):
    """Records the launches of a program, races them, and returns the rows, those of earlier parts
    included. Both sides compile in several processes first; then one process at a time has the GPU."""
    cases = os.path.join(args.out, "cases-" + name + (f"-{args.library[0]}" if args.library else ""))
    run = [os.path.join(HERE, program), *extra]
    capture = [sys.executable, os.path.join(HERE, "capture.py"), "--configs", str(configs)]
    record = [*capture, "--time", "--per-kernel", str(per_kernel), "--out", cases, "--root", args.root,
              "--max-bytes", str(max_bytes), *run]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([args.root, HERE,
                                                                os.environ.get("PYTHONPATH", "")])}
    log = os.path.join(args.out, f"{name}.log")
    shares = range(args.processes)
    at_once([[*capture, "--compile", *run, "--share", f"{i}/{len(shares)}"] for i in shares],
            budget.left() * 0.25, environment)
    with open(log, "a") as f:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(record, env=environment, stdout=f, stderr=f, timeout=max(30, budget.left() * 0.6))
    with open(log) as f:
        text = f.read()
    skipped = len(re.findall(r"^capture: (?:skipped|lost)", text,
                             re.M)) + len(re.findall(r"^  line \d+:|: failed: ", text, re.M))
    files = sorted(glob.glob(os.path.join(cases, "*.safetensors")))
    rows = []
    race = [args.nereid, "race", "--device", args.device, "--root", args.root, "--json"]
    quick = [*race, "--rep", "1us", "--warmup", "0", "--loads", "1"]
    at_once([[*quick, *files[i::len(shares)]] for i in shares if files[i::len(shares)]], budget.left() * 0.4)
    process = subprocess.Popen([*race, "--rep", "60ms", *files], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if line.startswith("{"):
            rows.append(json.loads(line))
        if budget.left() < 3:
            process.terminate()
            break
    process.wait()
    for f in files:  # a hundred launches are gigabytes
        os.remove(f)
    return {"rows": rows, "not_recorded": skipped, "left_out": len(files) - len(rows)}


def at_once(commands, seconds, environment=None):
    """Runs commands beside each other for what they leave in caches; ends those that take longer."""
    end = time.time() + seconds
    running = [subprocess.Popen(c, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for c in commands]
    for process in running:
        try:
            process.wait(max(0, end - time.time()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def merged(args, name, d):
    """Rows of a part beside those of the parts before, of the same commit."""
    path = os.path.join(args.out, name + ".json")
    if args.library and os.path.exists(path):
        with open(path) as f:
            old = json.load(f)
        if old["commit"] == args.commit:
            return {"rows": old["rows"] + d["rows"], **{k: old[k] + d[k]
                                                        for k in ("not_recorded", "left_out")}}
    return d


def selection(name, program, **options):
    """A section that records and races a program, or those of its libraries that --library names."""
    def section(args, budget):
        extra = [a for library in args.library or () for a in ("--only", library)]
        return merged(args, name, record_and_race(args, budget, program, extra, name=name, **options))
    return section


def tutorials(args, budget):
    return record_and_race(args, budget, "libraries.py", ["--only", "tutorials"], 450000000, 1, 1000,
                           "tutorials")


def ratio(row):
    ours, theirs = row["nereid"].get("ms"), row["triton"].get("ms")
    return theirs / ours if ours and theirs and not row.get("failed") else None


def race_table(d):
    classes, plain = {}, []
    for row in d["rows"]:
        if ratio(row):
            classes.setdefault(row["class"], []).append(ratio(row))
            plain.append((row["triton"].get("plain_ms") or row["triton"]["ms"]) / row["nereid"]["ms"])
    every = [x for xs in classes.values() for x in xs]
    if not every:
        return ["No launch was measured."]
    count = lambda xs, bar: sum(x >= bar for x in xs)
    line = lambda name, xs: (f"| {name} | {len(xs)} | {mean(xs):.2f} | {min(xs):.2f} | "
                             f"{count(xs, 0.95)} | {count(xs, 1)} |")
    lines = ["| class | launches | mean | least | at least 0.95 | at least 1.0 |",
             "|---|---|---|---|---|---|"]
    by_mean = sorted(classes, key=lambda c: mean(classes[c]))
    lines += [line(name, classes[name]) for name in by_mean] + [line("all", every)]
    failed = [r for r in d["rows"] if r.get("failed")]
    lines += [
        "", f"{len(failed)} failed, {d['left_out']} recorded launches left out, "
        f"{d['not_recorded']} calls of the libraries not recorded. Against `do_bench` as it is: "
        f"mean {mean(plain):.2f}, {count(plain, 0.95)} at 0.95 or more, least {min(plain):.2f}."]
    low = sorted((ratio(r), r["kernel"], r["nereid"]["ms"] * 1e3) for r in d["rows"] if ratio(r)
                 and ratio(r) < 0.95)
    lines += [""] * bool(low) + [f"- {x:.3f} `{kernel}`, {us:.1f} µs" for x, kernel, us in low]
    return lines + [f"- failed: `{r.get('kernel', r['case'])}`: {r['failed'].splitlines()[0][:60]}"
                    for r in failed]


# ---- attention, backward

def cudnn_backward(length, d, ms):
    """Milliseconds of cuDNN's backward pass on the sizes of tutorial 06 in libraries.py: plain and paced."""
    import torch
    import data
    q, k, v = ((data.tensor(seed, (1, 131072 // length, length, d), torch.float16) * 0.5).requires_grad_()
               for seed in range(3))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    grad = torch.randn_like(out)
    return peer_turn(lambda: torch.autograd.grad(out, (q, k, v), grad, retain_graph=True), ms)


def backward(args, budget):
    d = record_and_race(args, budget, "libraries.py", ["--case", "tutorial_attention_backward"], 450000000, 1,
                        1000, "backward")
    order = [(length, size) for length in LENGTHS for size in (64, 128)]  # as libraries.py launches them
    passes = [r for r in d["rows"] if r.get("kernel") == "_attn_bwd"]
    before = [r for r in d["rows"] if r.get("kernel") == "_attn_bwd_preprocess"]
    rows = []
    with cudnn():
        for (length, size), main, pre in zip(order, passes, before):
            row = {"seq": length, "d": size, "failed": main.get("failed") or pre.get("failed")}
            if not row["failed"]:
                plain, paced_ = cudnn_backward(length, size, 60)
                row.update(nereid=main["nereid"]["ms"] + pre["nereid"]["ms"],
                           triton=main["triton"]["ms"] + pre["triton"]["ms"], plain=plain, paced=paced_)
            rows.append(row)
            progress(row)
    return {"rows": rows, "left_out": len(order) - len(rows)}


def backward_table(d):
    lines = ["| positions | heads of | Nereid, TFLOP/s | Triton | cuDNN | ratio to Triton | to cuDNN |",
             "|---|---|---|---|---|---|---|"]
    for r in d["rows"]:
        if r["failed"]:
            lines.append(f"| {r['seq']} | {r['d']} | failed | | | | |")
            continue
        work = 2.5 * 4 * (131072 // r["seq"]) * r["seq"] ** 2 * r["d"] / 2 / 1e9
        best = min(r["plain"], r["paced"])
        lines.append(
            f"| {r['seq']} | {r['d']} | {work / r['nereid']:.0f} | {work / r['triton']:.0f} | "
            f"{work / best:.0f} | "
            f"{r['triton'] / r['nereid']:.2f} | {best / r['nereid']:.2f} |")
    return lines + ["", f"{sum(bool(r['failed']) for r in d['rows'])} failed, {d['left_out']} left out."]


# ---- files

SECTIONS = {
    "launches": (launches, launches_table), "products": (products, products_table),
    "attention": (attention, attention_table), "backward": (backward, backward_table),
    "kernels": (kernels, kernels_table), "tutorials": (tutorials, race_table),
    "race": (selection("race", "libraries.py"), race_table),
    "unseen": (selection("unseen", "unseen.py", configs=1), race_table),
    "serving": (selection("serving", "serving.py", configs=1, per_kernel=1), race_table),
}


# Run again at the same commit, these show the median of the sittings.
SITTINGS = ("products", "attention", "backward")


def progress(row):
    print(json.dumps({k: v for k, v in row.items() if k != "rounds"}), file=sys.stderr, flush=True)


def filled(lines):
    """Lines of Markdown, those of text no longer than the documents have them."""
    wrap = lambda l: textwrap.wrap(l, 110, subsequent_indent="  " if l.startswith("- ") else "",
                                   break_long_words=False, break_on_hyphens=False)
    return [part for line in lines for part in ([line] if line.startswith("|") or not line else wrap(line))]


def fragment(name, d):
    sittings = len(d.get("sittings", ()))
    several = ""
    if sittings > 1:
        several = f" Of {sittings} sittings, each line shows the one with the median ratio."
    return "\n".join(
        filled([f"Made by `python3 peer/tables.py --only {name}` at {d['commit']} on an {d['gpu']}.{several}",
                "", *SECTIONS[name][1](d)])) + "\n"


def line_ratio(row):
    if row.get("failed"):
        return 0
    return compared(row)[0] if "line" in row else min(row["plain"], row["paced"]) / row["nereid"]


def with_earlier(path, d):
    """The rows of this sitting and of those before at the same commit: of each line the one with the median
    ratio."""
    sittings = [d["rows"]]
    with contextlib.suppress(FileNotFoundError), open(path) as f:
        old = json.load(f)
        sittings = old.get("sittings", []) * (old["commit"] == d["commit"]) + sittings
    lines = {}
    for row in (r for rows in sittings for r in rows):
        lines.setdefault(row.get("line") or (row["seq"], row["d"]), []).append(row)
    pick = lambda rows: sorted(rows, key=line_ratio)[(len(rows) - 1) // 2]
    return {**d, "rows": [pick(rows) for rows in lines.values()], "sittings": sittings}


def make(args):
    import torch
    os.makedirs(args.out, exist_ok=True)
    for name in args.only or SECTIONS:
        start = time.time()
        d = SECTIONS[name][0](args, Budget(args.budget))
        d.update(section=name, commit=args.commit, gpu=torch.cuda.get_device_name(),
                 seconds=round(time.time() - start, 1), torch=torch.__version__)
        path = os.path.join(args.out, name + ".json")
        if name in SITTINGS:
            d = with_earlier(path, d)
        with open(path, "w") as f:
            json.dump(d, f, indent=1)
        text = fragment(name, d)
        with open(os.path.join(args.out, name + ".md"), "w") as f:
            f.write(text)
        print(f"## {name}, {d['seconds']} s\n\n{text}", flush=True)


def put(text, name, body):
    """text with body between the marks of a section; as it is without them."""
    marks = rf"(<!-- table {name} -->\n).*?(<!-- end -->)"
    return re.sub(marks, lambda m: m[1] + "\n" + body + "\n" + m[2], text, flags=re.S)


def summary(found, commit):
    """What the README says of the sections that there are."""
    says = []
    if "race" in found:
        every = [x for x in map(ratio, found["race"]["rows"]) if x]
        says.append(
            f"{len(every)} launches of public libraries run at {mean(every):.2f} times Triton's rate in the "
            "mean, "
            f"{sum(x >= 0.95 for x in every)} of them at 0.95 or more")
    for name, what in (("products", "matrix products run at {} times the rate of cuBLAS"),
                       ("attention", "attention at {} times that of cuDNN")):
        all_ratios = [compared(r)[0] for r in found.get(name, {"rows": ()})["rows"] if "failed" not in r]
        if all_ratios:
            says.append(what.format(f"{min(all_ratios):.2f} to {max(all_ratios):.2f}"))
    if "launches" in found:
        over = lambda form: middle([r["over"] for r in found["launches"]["rows"] if r["form"] == form
                                    and r["what"].startswith("matmul")])
        says.append(
            f"a warm launch of 17 parameters adds {over('Launch'):.2f} µs to the driver's own call, "
            f"by `Kernel.Bind` {over('Bind'):.2f} µs")
    return "\n".join(filled([f"On an H200, at {commit}: {'; '.join(says)}."])) + "\n"


def insert(args):
    found = {}
    for path in sorted(glob.glob(os.path.join(args.insert, "*.json"))):
        with open(path) as f:
            d = json.load(f)
        found[d["section"]] = d
    commits = {d["commit"] for d in found.values()}
    if len(commits) != 1:
        raise SystemExit(f"the tables are of {len(commits)} commits: {' '.join(sorted(commits))}")
    for file in ("docs/PERFORMANCE.md", "README.md"):
        path = os.path.join(args.project, file)
        with open(path) as f:
            before = text = f.read()
        for name, d in found.items():
            text = put(text, name, fragment(name, d))
        text = put(text, "summary", summary(found, min(commits)))
        if text != before:
            with open(path, "w") as f:
                f.write(text)
            print(f"{file}: changed")
    missing = [name for name in SECTIONS if name not in found]
    print(f"{len(found)} sections of {commits.pop()}" + (f"; without {', '.join(missing)}"
                                                         if missing else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", help="the commit that bin/nereid is of")
    parser.add_argument("--out", help="folder for the tables")
    parser.add_argument("--only", action="append", choices=list(SECTIONS))
    parser.add_argument("--library", action="append", help="libraries of race, unseen or serving")
    parser.add_argument("--budget", type=float, default=540, help="seconds of a section")
    parser.add_argument("--processes", type=int, default=os.cpu_count(),
                        help="processes that compile recorded launches before they are measured")
    parser.add_argument("--rounds", type=int, default=4, help="turns of each side")
    parser.add_argument("--root", default="libraries",
                        help="folder with the libraries and Triton's tutorials")
    parser.add_argument("--nereid", default=os.path.join(HERE, "..", "bin", "nereid"))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--insert", metavar="DIR", help="put the tables of DIR into the documents")
    parser.add_argument("--project", default=os.path.join(HERE, ".."))
    args = parser.parse_args()
    if args.insert:
        return insert(args)
    if not args.commit or not args.out:
        parser.error("--commit and --out are needed")
    make(args)


if __name__ == "__main__":
    main()
