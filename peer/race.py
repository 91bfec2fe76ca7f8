"""Races `nereid bench` against Triton on one GPU and prints a table for the README: python3 race.py [--nereid BINARY] [--rounds 5].

Both run in turn, each time in a new process. The table has each side's best round: where a module's code happens to lie in the GPU's
memory moves kernels of a few microseconds with cold caches by up to a tenth, up or down, for both sides alike. The ratio of the medians
is beside it. Rows of the rounds go to --keep as JSON lines.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = ("vector_add", "softmax", "layer_norm", "rms_norm", "swiglu", "cross_entropy", "dropout", "row_sum")
JOBS = ("launch", "compile_time", "vector_add", "softmax", "layer_norm", "small")  # of triton_peer.py


def rows(command, side):
    """What a program prints, by what it is about."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    out = {}
    for line in done.stdout.splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("failed"):
            raise SystemExit(f"{side}: {line}")
        if side in row and "kernel" in row:
            key = row["kernel"], row.get("dtype", ""), "×".join(map(str, row.get("shape", []))), row.get("what", ""), row.get("form", "")
            out[key] = row[side]
    return out


def only(names):
    return [a for n in names for a in ("--only", n)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default=os.path.join(HERE, "..", "bin", "nereid"))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", help="file for the figures of every round")
    args = parser.parse_args()
    ours, theirs = {}, {}
    for r in range(args.rounds):
        for side, into, command in (
            ("nereid", ours, [args.nereid, "bench", "--device", args.device, "--json"] + only(KERNELS + ("launch", "compile"))),
            ("triton", theirs, [sys.executable, os.path.join(HERE, "triton_peer.py")] + only(JOBS)),
        ):
            for key, value in rows(command, side).items():
                into.setdefault(key, []).append(value)
        print(f"round {r + 1} of {args.rounds}", file=sys.stderr, flush=True)
    if args.keep:
        with open(args.keep, "w") as f:
            for side, table in (("nereid", ours), ("triton", theirs)):
                for key, values in table.items():
                    f.write(json.dumps({"side": side, "key": key, "rounds": values}) + "\n")
    print("| kernel | size | Nereid | Triton | ratio | of the medians |\n|---|---|---|---|---|---|")
    ratios = []
    for key in ours:
        if key[0] in KERNELS and key in theirs:
            a, b = max(ours[key]), max(theirs[key])
            middle = statistics.median(ours[key]) / statistics.median(theirs[key])
            ratios.append(a / b)
            print(f"| {key[0]} {key[1]} | {key[2]} | {a:.0f} | {b:.0f} | {a / b:.2f} | {middle:.2f} |")
    print(f"\nleast {min(ratios):.3f}, at least 1.0: {sum(r >= 1 for r in ratios)} of {len(ratios)}\n")
    print("| host side | Nereid | Triton |\n|---|---|---|")
    for key, values in ours.items():
        if key[0] in ("launch", "compile"):
            peer = theirs.get(key[:4] + ("",))
            name = " ".join(filter(None, (key[0], key[3], key[4])))
            print(f"| {name} | {statistics.median(values):.2f} | {f'{statistics.median(peer):.2f}' if peer else ''} |")


if __name__ == "__main__":
    main()
