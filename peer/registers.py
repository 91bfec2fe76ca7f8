"""Looks in machine code for left operands of warp-group products that ptxas overwrites:

  registers.py [--arch sm_90a] FILE.ptx...

needs ptxas and nvdisasm, of PATH or of an installed Triton, and no GPU. A product may read its left operand
from registers, and goes on reading while the threads go on. For each file it compares how many definitions
reach such an operand in PTX and in machine code, and looks for writes to registers of products that nobody
has waited for yet. Prints a line for each file, what is wrong below it, and exits with 1 if anything is.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = {"64": 2, "128": 4}
NO_RESULT = ("ST", "LDGSTS", "BAR", "BRA", "EXIT", "ISETP", "FSETP", "WARPGROUP", "DEPBAR", "MEMBAR", "R2UR",
             "RED", "UTMA", "SYNCS", "U", "BSYNC", "BSSY", "ERRBAR", "NOP", "LDGDEPBAR", "R2P", "CCTL",
             "DSETP", "HSETP", "PLOP", "WARPSYNC")
PTX_NO_RESULT = ("st", "bra", "red", "cp", "bar", "fence", "mbarrier", "wgmma.fence", "wgmma.commit",
                 "wgmma.wait", "prefetch", "ret")


class Code:
    """Instructions with their successors and the registers that each writes."""

    def __init__(self):
        self.names, self.texts, self.guarded, self.writes, self.next = [], [], [], [], []

    def add(self, name, text, guarded, writes):
        self.names.append(name)
        self.texts.append(text)
        self.guarded.append(guarded)
        self.writes.append(set(writes))

    def link(self, labels, target, ends):
        """Finds successors: target(i) is the label that i branches to, ends(i) says that nothing follows."""
        n = len(self.names)
        self.before = [[] for _ in range(n)]
        for i in range(n):
            label = target(i)
            nexts = [labels[label]] if label in labels else []
            if (label is None or self.guarded[i]) and not (ends(i) and not self.guarded[i]):
                nexts.append(i + 1)
            self.next.append([j for j in nexts if j < n])
            for j in self.next[i]:
                self.before[j].append(i)

    def reaching(self, at, register):
        """The instructions whose value of a register may reach an instruction."""
        seen, todo, found = set(), list(self.before[at]), set()
        while todo:
            i = todo.pop()
            if i in seen:
                continue
            seen.add(i)
            if register in self.writes[i]:
                found.add(i)
                if not self.guarded[i]:
                    continue
            todo += self.before[i]
        return found


def read_ptx(text):
    code, labels = Code(), {}
    for line in re.split(r"[;\n]", re.sub(r"//.*", "", text)):
        line = line.strip()
        while label := re.match(r"([$\w]+):\s*(.*)", line):
            labels[label[1]], line = len(code.names), label[2].strip()
        if not line or line[0] in ".{}()":
            continue
        guard = re.match(r"@!?%\w+\s+(.*)", line)
        line = guard[1] if guard else line
        name = line.split()[0]
        operands = line[len(name):].strip()
        first = operands[:operands.index("}")] if operands.startswith("{") else operands.split(",")[0]
        code.add(name, line, bool(guard), () if name.startswith(PTX_NO_RESULT)
                 else re.findall(r"%\w+", first))
    target = lambda i: code.texts[i].split()[-1] if code.names[i].startswith("bra") else None
    code.link(labels, target, lambda i: code.names[i] in ("ret", "exit", "trap"))
    return code


def register(text):
    found = re.match(r"[-|~!]*R(\d+)", text)
    return int(found[1]) if found else None


def results(name, operands):
    """The registers that an instruction of the machine writes."""
    if not operands or name.startswith(NO_RESULT):
        return ()
    first = operands[1] if len(operands) > 1 and re.match(r"!?P(\d|T)", operands[0]) else operands[0]
    at, n, parts = register(first), 1, name.split(".")
    if at is None:
        return ()
    if "GMMA" in name:
        n = int(re.search(r"\.64x(\d+)x", name)[1]) // 2
    elif name.startswith("LDSM"):
        n = {"2": 2, "4": 4}.get(parts[-1], 4 if "4" in parts else 1)
    elif name.startswith("LD"):
        n = max([WIDTHS.get(p, 1) for p in parts])
    elif "WIDE" in name or name.startswith(("CS2R", "DADD", "DMUL", "DFMA")):
        n = 2
    elif name.startswith(("HMMA", "IMMA")):
        n = 4
    return range(at, at + n)


def read_sass(text):
    code, labels = Code(), {}
    for line in text.splitlines():
        line = line.strip()
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(code.names)
        found = re.match(r"/\*[0-9a-f]+\*/\s+(@!?U?P\w+\s+)?(\S+)\s*(.*?)\s*;?\s*$", line)
        if found:
            operands = [x.strip() for x in found[3].rstrip(" ;").split(",")]
            code.add(found[2], line, bool(found[1]) or found[2].startswith("BRA") and len(operands) > 1,
                     results(found[2], operands))
    def target(i):
        label = re.search(r"`\((\.L_x_\d+)\)", code.texts[i]) if code.names[i].startswith("BRA") else None
        return label[1] if label else None
    code.link(labels, target, lambda i: code.names[i].startswith("EXIT"))
    return code


def operands_of(code, i):
    return [x.strip() for x in code.texts[i].split(code.names[i], 1)[1].rstrip(" ;").split(",")]


def several(code, products):
    """Products some of whose left operand's registers have several definitions, with these."""
    for i, left in products:
        for r in left:
            found = code.reaching(i, r)
            if len(found) > 1:
                yield i, r, found
                break


def ptx_products(code):
    for i, name in enumerate(code.names):
        groups = re.findall(r"\{([^}]*)\}", code.texts[i]) if name.startswith("wgmma.mma_async") else ()
        if len(groups) > 1:
            yield i, [r.strip() for r in groups[1].split(",")]


def sass_products(code):
    for i, name in enumerate(code.names):
        at = register(operands_of(code, i)[1]) if "GMMA" in name else None
        if at is not None:
            yield i, range(at, at + 4)


def in_flight(code):
    """Instructions that write a register of a product, or read its result, before anybody waited for the
    product."""
    left = dict(sass_products(code))
    for i, name in enumerate(code.names):
        if "GMMA" not in name:
            continue
        held, result = set(left.get(i, ())) | code.writes[i], code.writes[i]
        seen, todo = set(), [(j, 0, "gsb0" in code.texts[i]) for j in code.next[i]]
        while todo:
            state = j, groups, closed = todo.pop()
            if state in seen or groups > 4:
                continue
            seen.add(state)
            text = code.texts[j]
            if code.names[j].startswith("WARPGROUP.DEPBAR") and closed and int(operands_of(code, j)[1], 16) <= groups:
                continue
            if "GMMA" in code.names[j]:
                groups, closed = groups + (closed and "gsb0" in text), closed or "gsb0" in text
            else:
                sources = {register(x)
                           for x in operands_of(code, j)[bool(code.writes[j]):]} if text.split(code.names[j], 1)[1].strip(" ;") else set()
                if code.writes[j] & held or sources & result:
                    yield i, j
                    continue
            todo += [(k, groups, closed) for k in code.next[j]]


def tool(name):
    """A tool of PATH, or of Triton's package."""
    if found := shutil.which(name):
        return found
    try:
        import triton
        path = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", name)
    except ImportError:
        path = ""
    if not os.path.exists(path):
        raise SystemExit(f"registers.py: {name} is not here; pip install triton brings it")
    return path


def check(path, arch):
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "kernel.cubin")
        log = subprocess.run([tool("ptxas"), "-arch", arch, path, "-o", cubin], capture_output=True,
                             text=True)
        if log.returncode:
            return f"ptxas: {log.stderr.strip()}", ["not assembled"]
        listing = subprocess.run([tool("nvdisasm"), "-c", cubin], capture_output=True, text=True,
                                 check=True).stdout
    with open(path) as f:
        source, machine = read_ptx(f.read()), read_sass(listing)
    wrong = [f"read {machine.texts[i]}\n  but written {machine.texts[j]}" for i, j in in_flight(machine)]
    before = list(several(source, ptx_products(source)))
    for i, r, found in several(machine, sass_products(machine)) if not before else ():
        wrong.append("\n  or ".join([f"R{r} of {machine.texts[i]} has several values:"] +
                                    [machine.texts[j] for j in sorted(found)]))
    serialized = ", serialized" if "C75" in log.stderr + log.stdout else ""
    return f"{len(list(ptx_products(source)))} left operands in registers{serialized}", wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", default="sm_90a", help="what to assemble for (default sm_90a)")
    parser.add_argument("files", nargs="+", metavar="FILE.ptx")
    args = parser.parse_args()
    failed = 0
    for path in args.files:
        said, wrong = check(path, args.arch)
        failed += bool(wrong)
        print(f"{path}: {'WRONG' if wrong else 'ok'}, {said}")
        for w in wrong[:3]:
            print("  " + w)
    print(f"{len(args.files)} files, {failed} wrong")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
