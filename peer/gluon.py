"""Asks releases of Triton for the TTGIR of the Gluon kernels in internal/conform/testdata/gluon.py, for
sm_90.

  gluon.py RELEASE=FOLDER ... OUT.json.gz
      as versions.py. OUT has {release: {kernel: TTGIR, or "error: " and the reason}}. A GPU is not needed.
"""
import gzip
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "..", "internal", "conform", "testdata", "gluon.py")


def without_locations(text):
    text = "".join(line for line in text.splitlines(True) if not line.startswith("#loc"))
    return re.sub(r" loc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", text)


def compile_all():
    """In a process with the wheel of one release: prints the TTGIR of each kernel."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.experimental.gluon._runtime import GluonASTSource

    import frontend
    target = GPUTarget("cuda", 90, 32)
    triton.runtime.driver.set_active(type("Driver", (), {"get_current_target": lambda self: target})())
    spec = importlib.util.spec_from_file_location("gluon_kernels", KERNELS)
    module = importlib.util.module_from_spec(spec)
    sys.modules["gluon_kernels"] = module
    spec.loader.exec_module(module)
    with open(KERNELS) as f:
        found = re.findall(r"# sig: (.*)\n@gluon.jit\ndef (\w+)", f.read())
    out = {}
    for signature, name in found:
        fn = getattr(module, name)
        try:
            made = frontend.source(fn, signature)
            source = GluonASTSource(fn, made.signature, made.constants, made.attrs)
            out[name] = without_locations(triton.compile(source, target=target, options={}).asm["ttgir"])
        except Exception as e:
            while e.__cause__ is not None:
                e = e.__cause__
            out[name] = "error: " + (str(e).strip().splitlines() or [type(e).__name__])[-1]
    json.dump(out, sys.stdout)


def main():
    if sys.argv[1:] == ["--compile"]:
        return compile_all()
    *releases, path = sys.argv[1:]
    answers = {}
    for release, _, folder in (r.partition("=") for r in releases):
        with tempfile.TemporaryDirectory() as cache:
            env = dict(os.environ, PYTHONPATH=folder, TRITON_CACHE_DIR=cache, PYTHONDONTWRITEBYTECODE="1")
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--compile"], env=env,
                                  check=True, stdout=subprocess.PIPE)
        answers[release] = json.loads(done.stdout)
        print(release, sum(not r.startswith("error: ") for r in answers[release].values()), "of",
              len(answers[release]), "compiled")
    with open(path, "wb") as f:
        f.write(gzip.compress(json.dumps(answers, indent=0).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
