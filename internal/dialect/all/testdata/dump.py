"""Reads each file with Triton's parser and prints it as Triton prints it, a line of dashes after each."""
import sys

from triton._C import libtriton
from triton._C.libtriton import ir

context = ir.context()
ir.load_dialects(context)
libtriton.nvidia.load_dialects(context)
libtriton.amd.load_dialects(context)
libtriton.proton.load_dialects(context)
for path in sys.argv[1:]:
    print(ir.parse_mlir_module(path, context).str_nodebug().rstrip())
    print("// -----")
