#!/usr/bin/env python3
"""Builds the wheel: python/build.py [DIR] writes nereid_triton-VERSION-py3-none-linux_x86_64.whl to DIR
(bin).

It needs Go and a C compiler for libnereid.so, and nothing beyond Python's own library for the wheel. The
wheel is the same for the same sources: times in it are fixed.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PACKAGE = TOP / "python" / "nereid"
LIBRARY = "libnereid.so.1"
NAME = "nereid-triton"
ENTRY_POINTS = """[triton.backends]
nereid = nereid.triton_backend

[pytest11]
nereid = nereid.pytest_plugin
"""


def version() -> str:
    """Returns the version that pyproject.toml states."""
    text = (TOP / "python" / "pyproject.toml").read_text()
    return re.search(r'^version = "([^"]+)"', text, re.MULTILINE).group(1)


def library(folder: Path) -> Path:
    """Builds libnereid.so in a folder, and returns it."""
    env = {**os.environ, "NEREID_CAPI": "jit", "NEREID_CAPI_SO": "1"}
    subprocess.run([TOP / "scripts" / "build-capi", folder], check=True, env=env)
    return folder / LIBRARY


def metadata() -> str:
    return f"""Metadata-Version: 2.1
Name: {NAME}
Version: {version()}
Summary: Triton kernels on CPUs, GPUs and simulators: a back end of Triton, and a runtime without it
Requires-Python: >=3.10
Description-Content-Type: text/markdown

{(TOP / "docs" / "PYTHON.md").read_text()}"""


def contents(built: Path) -> dict[str, bytes]:
    """Returns the files of the wheel, without its RECORD."""
    out = {}
    for file in sorted(PACKAGE.rglob("*")):
        name = file.relative_to(PACKAGE.parent).as_posix()
        if file.suffix in (".py", ".pyi", ".typed") and "__pycache__" not in name:
            out[name] = file.read_bytes()
    out[f"nereid/{LIBRARY}"] = built.read_bytes()
    out["nereid/PYTHON.md"] = (TOP / "docs" / "PYTHON.md").read_bytes()
    info = f"{NAME.replace('-', '_')}-{version()}.dist-info"
    out[f"{info}/METADATA"] = metadata().encode()
    out[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: nereid\nRoot-Is-Purelib: false\nTag: {tag()}\n").encode()
    out[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    out[f"{info}/licenses/LICENSE"] = (TOP / "LICENSE").read_bytes()
    return out


def tag() -> str:
    return f"py3-none-linux_{platform.machine()}"


def record(files: dict[str, bytes], name: str) -> bytes:
    lines = []
    for file, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{file},sha256={digest},{len(data)}\n")
    return ("".join(lines) + f"{name},,\n").encode()


def write(path: Path, files: dict[str, bytes]) -> None:
    info = next(name for name in files if name.endswith("/METADATA")).rsplit("/", 1)[0]
    files = {**files, f"{info}/RECORD": record(files, f"{info}/RECORD")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name.endswith(LIBRARY) else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            z.writestr(entry, data)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "bin").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    built = library(TOP / "bin" / "capi")
    path = folder / f"{NAME.replace('-', '_')}-{version()}-{tag()}.whl"
    write(path, contents(built))
    print(f"{path} {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
