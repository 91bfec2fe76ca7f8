"""Places in kernels as frames of Python's tracebacks: an error of a kernel ends there, for people and for
tools."""

from __future__ import annotations

import ast
import linecache
import re
from types import TracebackType

_DEF = re.compile(r"(\s*)def\s+(\w+)")
_CALLED = re.compile(r"^\s+called at (.+):(\d+):(\d+)$", re.MULTILINE)
Place = tuple[str, int, int]


def traceback(place: Place, text: str) -> TracebackType | None:
    """Returns a traceback that ends at a place, with the calls of jit functions that text names, innermost
    first. It is None where there is no source to show."""
    called = [(file, int(line), int(column)) for file, line, column in _CALLED.findall(text)]
    last = None
    for p in (place, *called):
        last = _entry(p, last) or last
    return last


def _entry(place: Place, following: TracebackType | None) -> TracebackType | None:
    """Returns the entry of a place, before those that follow."""
    file, line, column = place
    if not file or not linecache.getline(file, line):
        return None
    name, first = _function(file, line)
    tree = ast.parse(f"def {name}():\n raise Exception")
    function = tree.body[0]
    for node in ast.walk(function.body[0]):  # a line of the kernel, with Python's caret under the column
        node.lineno = node.end_lineno = line
        node.col_offset, node.end_col_offset = max(column - 1, 0), max(column, 1)
    function.lineno = function.end_lineno = first
    space = {"__name__": name, "__file__": file}
    exec(compile(tree, file, "exec"), space)
    try:
        space[name]()
    except Exception as e:
        at = e.__traceback__.tb_next
        return TracebackType(following, at.tb_frame, at.tb_lasti, at.tb_lineno)
    raise AssertionError("not reached")


def _function(file: str, line: int) -> tuple[str, int]:
    """Returns the name and the first line of the function around a line."""
    lines = linecache.getlines(file)
    indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    for n in range(line - 1, 0, -1):
        found = _DEF.match(lines[n - 1])
        if found and len(found[1]) < indent:
            return found[2], n
    return "kernel", line
