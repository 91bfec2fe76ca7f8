"""Compares Nereid's compilations with Triton's, of the kernels that dry.py recorded. Needs neither Triton nor a GPU.

  compile_race.py [--nereid BINARY] [--target hip:gfx942] [--root LIBRARIES] CASES...

Each of CASES is a folder of dry.py's. Prints, for each and in all, how many kernels Triton compiled, how many of those
Nereid did, and the processor time of both: Triton's of its compilations alone, Nereid's of the whole process. Then
the kernels that Triton alone compiled, with Nereid's reason. Exit 1 if there are more of them than one in a hundred.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def compiled(args, folder):
    """What Nereid makes of the kernels of a folder that Triton compiled: entries, reasons of failures by name, seconds."""
    with open(os.path.join(folder, "specs.json")) as f:
        specs = [s for s in json.load(f) if "seconds" in s.get("triton", {})]
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=folder) as f:
        json.dump(specs, f)
        f.flush()
        command = [args.nereid, "compile", "--specs", f.name, "--target", args.target, "--emit", "hsaco"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command + [a for r in args.root for a in ("--root", r)], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = done.stdout.splitlines()
    ok = {line.split()[1] for line in lines if line.startswith("ok ")}
    said = {line.split()[1].rstrip(":"): line for line in lines if line.startswith("fail ")}
    failed = {s["name"]: said.get(s["name"], done.stderr[-300:]) for s in specs if s["name"] not in ok}
    return specs, failed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nereid", default=os.path.join(HERE, "..", "bin", "nereid"))
    parser.add_argument("--target", default="hip:gfx942")
    parser.add_argument("--root", action="append", default=[], help="folder in which imports are found")
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    row = "| {} | {} | {} | {:.1f} | {:.1f} | {:.2f} |"
    print("| cases | Triton compiled | of those Nereid | Triton, s | Nereid, s | ratio |\n|---|---|---|---|---|---|")
    total, reasons = [0, 0, 0.0, 0.0], []
    for folder in args.cases:
        specs, failed, seconds = compiled(args, folder)
        numbers = [len(specs), len(specs) - len(failed), sum(s["triton"]["seconds"] for s in specs), seconds]
        print(row.format(os.path.basename(os.path.normpath(folder)), *numbers, numbers[3] / numbers[2]), flush=True)
        total = [a + b for a, b in zip(total, numbers)]
        reasons += failed.values()
    print(row.format("all", *total, total[3] / total[2]))
    print("\n".join(["", *reasons]))
    sys.exit(1 if len(reasons) * 100 > total[0] else 0)


if __name__ == "__main__":
    main()
