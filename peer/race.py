"""Races `nereid bench` against Triton on one GPU and prints a table for docs/PERFORMANCE.md: python3 race.py
[--nereid BINARY] [--quick].

Both run in turn, each time in a new process. The table has each side's best round: where a module's code
happens to lie in the GPU's memory moves kernels of a few microseconds with cold caches by up to a tenth, up
or down, for both sides alike, so the quickest kernels have the most rounds. The ratio of the medians is
beside it. Figures of every round go to --keep as JSON lines.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SMALL = ("rms_norm", "swiglu", "cross_entropy", "dropout", "row_sum")
# A job of triton_peer.py, the same of nereid bench, and how often.
JOBS = (("vector_add", ("vector_add",), 8), ("softmax", ("softmax",), 4), ("layer_norm", ("layer_norm",), 4),
        ("small", SMALL, 2), ("matmul", ("matmul",), 1), ("attention", ("attention",), 1),
        ("compile_time", ("compile",), 2), ("launch", ("launch",), 2))
CONFIGS = ("matmul", "attention")  # kernels of which the fastest of several configs counts


def rows(command, side):
    """What a program prints, by what it is about."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    out = {}
    for line in done.stdout.splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("failed") and row.get("kernel") in CONFIGS:  # the other configs stand for it
            print(f"{side}: {line}", file=sys.stderr)
            continue
        if row.get("failed"):
            raise SystemExit(f"{side}: {line}")
        if side in row and "kernel" in row:
            kernel = row["kernel"] + (" causal" if row.get("causal") else "")
            key = kernel, row.get("dtype", ""), "×".join(map(str, row.get("shape", []))), row.get("what", ""), row.get("form", "")
            out[key] = row[side]
    return out


def only(names):
    return [a for n in names for a in ("--only", n)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default=os.path.join(HERE, "..", "bin", "nereid"))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", action="append",
                        help="jobs to race: " + ", ".join(job for job, _, _ in JOBS))
    parser.add_argument("--quick", action="store_true", help="one round of each")
    parser.add_argument("--rounds", type=int, default=8, help="at most so many rounds of each")
    parser.add_argument("--keep", help="file for the figures of every round")
    args = parser.parse_args()
    ours, theirs = {}, {}
    wanted = [j for j in JOBS if not args.only or j[0] in args.only]
    if not wanted:
        parser.error("--only names no job")
    most = min(args.rounds, max(n for _, _, n in wanted))
    for r in range(1 if args.quick else most):
        jobs = [(job, names) for job, names, n in wanted if r < n]
        for side, into, command in (
            ("nereid", ours, [args.nereid, "bench", "--device", args.device,
                              "--json"] + only(k for _, names in jobs for k in names)),
            ("triton", theirs, [sys.executable, os.path.join(HERE, "triton_peer.py")] +
             only(job for job, _ in jobs)),
        ):
            for key, value in rows(command, side).items():
                into.setdefault(key, []).append(value)
        print(f"round {r + 1} of {most}", file=sys.stderr, flush=True)
    if args.keep:
        with open(args.keep, "w") as f:
            for side, table in (("nereid", ours), ("triton", theirs)):
                for key, values in table.items():
                    f.write(json.dumps({"side": side, "key": key, "rounds": values}) + "\n")
    print("| kernel | size | Nereid | Triton | ratio | of the medians |\n|---|---|---|---|---|---|")
    ratios = []
    for key in ours:
        if key[0] not in ("launch", "compile") and key in theirs:
            a, b = max(ours[key]), max(theirs[key])
            middle = statistics.median(ours[key]) / statistics.median(theirs[key])
            ratios.append(a / b)
            print(f"| {key[0]} {key[1]} | {key[2]} | {a:.0f} | {b:.0f} | {a / b:.2f} | {middle:.2f} |")
    if ratios:
        print(f"\nleast {min(ratios):.3f}, at least 1.0: {sum(r >= 1 for r in ratios)} of {len(ratios)}\n")
    print("| host side | Nereid | Triton |\n|---|---|---|")
    for key, values in ours.items():
        if key[0] in ("launch", "compile"):
            peer = theirs.get(key[:4] + ("",))
            name = " ".join(filter(None, (key[0], key[3], key[4])))
            print(
                f"| {name} | {statistics.median(values):.2f} | {f'{statistics.median(peer):.2f}' if peer else ''} |")


if __name__ == "__main__":
    main()
