"""Puts the Python files of libraries side by side, for programs that launch their kernels. It needs a
network, git and pip."""
import os
import shutil
import subprocess
import sys
import tempfile


def gather(sources, to, bare=()):
    """Takes libraries as (name, where it comes from, paths in it); those named in bare come without
    __init__.py."""
    for name, source, paths in sources:
        kind, where = source.split(":", 1)
        with tempfile.TemporaryDirectory() as tmp:
            bring(kind, where, tmp)
            for path in paths:
                take(os.path.join(tmp, "at", path), os.path.join(to, target(path)), name in bare)


def bring(kind, where, tmp):
    """Unpacks a repository, or a wheel, into the folder at of tmp."""
    if kind == "git":
        at, _, commit = where.partition("@")
        subprocess.run(["git", "clone", "--quiet", *([] if commit else ["--depth", "1"]), at, tmp + "/at"],
                       check=True)
        if commit:
            subprocess.run(["git", "-C", tmp + "/at", "checkout", "--quiet", commit], check=True)
        return
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", tmp, where],
                   check=True)
    wheel = next(f for f in os.listdir(tmp) if f.endswith(".whl"))
    shutil.unpack_archive(os.path.join(tmp, wheel), tmp + "/at", "zip")


def target(path):
    """Where a path of a repository belongs: without the folder that holds the packages."""
    for folder in ("src/", "python/"):
        path = path.removeprefix(folder)
    return path


def take(source, to, bare):
    """Copies a Python file, or the Python files of a folder."""
    if os.path.isfile(source):
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(source, to)
        return
    for folder, _, files in os.walk(source):
        for f in files:
            if f.endswith(".py") and not (bare and f == "__init__.py"):
                at = os.path.join(to, os.path.relpath(folder, source), f)
                os.makedirs(os.path.dirname(at), exist_ok=True)
                shutil.copy(os.path.join(folder, f), at)
