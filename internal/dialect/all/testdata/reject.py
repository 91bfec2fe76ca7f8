"""Says of each file whether Triton's parser and verifier take it: `accepted` or `rejected`, a line each."""
import sys

from triton._C import libtriton
from triton._C.libtriton import ir

context = ir.context()
ir.load_dialects(context)
libtriton.nvidia.load_dialects(context)
libtriton.amd.load_dialects(context)
for path in sys.argv[1:]:
    try:
        ir.parse_mlir_module(path, context)
        print("accepted")
    except RuntimeError:
        print("rejected")
