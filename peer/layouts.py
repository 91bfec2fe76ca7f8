"""Asks Triton for the linear layouts of many encodings. Needs Triton, not a GPU.

  layouts.py [OUTFILE]
      writes one JSON object for each encoding and shape, a line each (to standard output when there is no
          OUTFILE):
      {"enc": "#ttg.blocked<…>", "shape": [16, 32], "in": {"register": [[0, 1], …], "lane": […], …}}
      A basis vector has one entry for each dimension of the shape. A name that ends in .gz is compressed.

The file in internal/layout/ttglayout/testdata is made by this program; run it again when Triton changes.
"""
import gzip
import json
import math
import os
import sys
import tempfile

import triton._C.libtriton as libtriton
from triton._C.libtriton import gluon_ir, ir


def cga(bases):
    return f", CGALayout = {bases}" if bases else ""


def blocked(size, threads, warps, order, bases=None):
    return (f"#ttg.blocked<{{sizePerThread = {size}, threadsPerWarp = {threads}, warpsPerCTA = {warps}, "
            f"order = {order}{cga(bases)}}}>")


def slice_of(dim, parent):
    return f"#ttg.slice<{{dim = {dim}, parent = {parent}}}>"


def dot_op(index, parent, k_width=None):
    k = f", kWidth = {k_width}" if k_width else ""
    return f"#ttg.dot_op<{{opIdx = {index}, parent = {parent}{k}}}>"


def mma(version, warps, instr, bases=None):
    return (
        f"#ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, warpsPerCTA = {warps}{cga(bases)}, "
        f"instrShape = {instr}}}>")


def mfma(version, warps, instr, transposed, tiles=None, bits=32):
    tiles = f", tilesPerWarp = {tiles}" if tiles else ""
    bits = f", elementBitWidth = {bits}" if bits != 32 else ""
    return (f"#ttg.amd_mfma<{{version = {version}, warpsPerCTA = {warps}, instrShape = {instr}, "
            f"isTransposed = {str(transposed).lower()}{tiles}{bits}}}>")


def wmma(version, warps, transposed, tiles=None):
    tiles = f", tilesPerWarp = {tiles}" if tiles else ""
    return (f"#ttg.amd_wmma<{{version = {version}, isTranspose = {str(transposed).lower()}, "
            f"warpsPerCTA = {warps}{tiles}}}>")


def swizzled(vec, per_phase, max_phase, order, bases=None):
    return (f"#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, "
            f"order = {order}{cga(bases)}}}>")


def nvmma(width, transposed, bits, fp4=False, bases=None, rank=2):
    fp4 = ", fp4Padded = true" if fp4 else ""
    rank = f", rank = {rank}" if rank != 2 else ""
    return (f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {str(transposed).lower()}, "
            f"elementBitWidth = {bits}{fp4}{cga(bases)}{rank}}}>")


def shared_linear(offset, block, alignment=16):
    block = f", block = {block}" if block else ""
    return f"#ttg.shared_linear<{{offset = {offset}{block}}}, alignment = {alignment}>"


def cases():
    shapes1 = [[n] for n in (1, 2, 32, 128, 1024, 8192)]
    shapes2 = [[1, 1], [1, 64], [64, 1], [8, 16], [16, 32], [32, 8], [64, 64], [128, 32], [4, 256]]
    shapes3 = [[1, 16, 16], [2, 32, 16], [8, 8, 64]]

    # blocked, with clusters and without, and their slices
    one = [blocked([s], [32], [w], [0], b) for s in (1, 4, 16) for w in (1, 4, 8)
           for b in (None, [[1]], [[0], [1]])]
    for enc in one:
        for shape in shapes1:
            yield enc, shape
    two = [
        blocked([1, 1], [1, 32], [4, 1], [1, 0]), blocked([1, 4], [4, 8], [2, 2], [1, 0]),
        blocked([8, 1], [16, 2], [1, 4], [0, 1]), blocked([2, 2], [8, 4], [4, 2], [0, 1]),
        blocked([1, 8], [2, 16], [8, 1], [1, 0]), blocked([4, 2], [32, 1], [1, 1], [0, 1]),
        blocked([1, 2], [8, 4], [2, 2], [1, 0], [[1, 0]]),
        blocked([2, 1], [4, 8], [2, 1], [0, 1], [[0, 1], [1, 0]]),
        blocked([1, 1], [8, 4], [2, 2], [1, 0], [[0, 0], [0, 1]]), blocked([1, 16], [64, 1], [2, 2], [1, 0]),
    ]
    for enc in two:
        for shape in shapes2:
            yield enc, shape
        for dim in (0, 1):
            for shape in shapes1:
                yield slice_of(dim, enc), shape
    three = [
        blocked([1, 1, 4], [2, 4, 4], [1, 2, 2], [2, 1, 0]),
        blocked([2, 1, 1], [1, 4, 8], [4, 1, 1], [0, 2, 1]),
        blocked([1, 2, 2], [8, 2, 2], [2, 1, 2], [1, 2, 0], [[1, 0, 0]]),
    ]
    for enc in three:
        for shape in shapes3:
            yield enc, shape
        for dim in (0, 1, 2):
            for shape in shapes2:
                yield slice_of(dim, enc), shape
            for outer in (0, 1):
                yield slice_of(outer, slice_of(dim, enc)), [64]

    # operands of fma products
    for enc in two:
        for index in (0, 1):
            for shape in shapes2:
                yield dot_op(index, enc), shape
    for enc in three:
        for index in (0, 1):
            for shape in shapes3:
                yield dot_op(index, enc), shape

    # tensor cores, second generation: results, operands, slices of both
    big = [[8, 8], [16, 16], [32, 64], [128, 128], [64, 256], [16, 1024]]
    for warps in ([1, 1], [4, 1], [2, 2], [1, 4], [8, 1], [2, 4]):
        for b in (None, [[1, 0]], [[0, 1]]):
            enc = mma(2, warps, [16, 8], b)
            for shape in big:
                yield enc, shape
                for index in (0, 1):
                    for k_width in (1, 2, 4, 8):
                        if b is None or k_width == 2:
                            yield dot_op(index, enc, k_width), shape
            for dim in (0, 1):
                for n in (16, 128):
                    yield slice_of(dim, enc), [n]
                    if b is None:
                        yield slice_of(dim, dot_op(0, enc, 2)), [n]
    for warps in ([1, 2, 2], [4, 1, 1]):
        enc = mma(2, warps, [1, 16, 8])
        for shape in ([1, 32, 32], [4, 64, 16]):
            yield enc, shape
            for index in (0, 1):
                yield dot_op(index, enc, 2), shape
            for dim in (0, 1, 2):
                yield slice_of(dim, enc), shape[1:]

    # wgmma: results and the left operand
    for warps in ([4, 1], [8, 1], [4, 2]):
        for n, k in ((8, 16), (16, 32), (64, 16), (128, 16), (256, 8)):
            for b in (None, [[1, 0]], [[0, 1]]):
                enc = mma(3, warps, [16, n, k], b)
                for shape in ([64, 16], [64, 64], [128, 128], [128, 256], [256, 32]):
                    yield enc, shape
                    for dim in (0, 1):
                        if b is None:
                            yield slice_of(dim, enc), [shape[1 - dim]]
                    for k_width in (2, 4):
                        if n == 64 and b is None:
                            yield dot_op(0, enc, k_width), shape

    # AMD's matrix cores: results, operands, slices
    for warps in ([1, 1], [4, 1], [2, 2], [2, 4]):
        for instr in ([32, 32, 8], [16, 16, 16], [64, 4, 4], [4, 64, 4]):
            for transposed in (True, False):
                if instr[0] == 64 and not transposed:
                    continue
                for tiles in (None, [2, 2]):
                    if tiles and instr[0] != 16:
                        continue
                    enc = mfma(3, warps, instr, transposed, tiles)
                    for shape in ([16, 16], [32, 64], [128, 128], [64, 256]):
                        yield enc, shape
                        for index in (0, 1):
                            for k_width in (1, 4, 8):
                                yield dot_op(index, enc, k_width), shape
                    for dim in (0, 1):
                        yield slice_of(dim, enc), [128]
        for bits in (64,):
            enc = mfma(3, warps, [16, 16, 4], True, None, bits)
            for shape in ([16, 16], [128, 128]):
                yield enc, shape
        for version in (1, 2):
            for transposed in (True, False):
                for tiles in (None, [2, 2]):
                    enc = wmma(version, warps, transposed, tiles)
                    for shape in ([16, 16], [32, 64], [128, 128], [64, 256]):
                        yield enc, shape
                        for index in (0, 1):
                            for k_width in (8, 16):
                                if version == 1 or k_width == 8:
                                    yield dot_op(index, enc, k_width), shape
                    for dim in (0, 1):
                        yield slice_of(dim, enc), [128]
    for warps in ([4, 1, 1], [1, 2, 2]):
        enc = mfma(3, warps, [32, 32, 8], True, [1, 1, 1])
        for shape in ([1, 32, 32], [4, 64, 64]):
            yield enc, shape
            for index in (0, 1):
                yield dot_op(index, enc, 4), shape
            for dim in (0, 1, 2):
                yield slice_of(dim, enc), shape[1:]

    # linear
    linear = "#ttg.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 16]], block = []}>"
    spread = "#ttg.linear<{register = [[1, 0]], lane = [[0, 1], [0, 2], [2, 0], [0, 0], [0, 4]], warp = [[0, 0], [4, 0]], block = [[8, 0]]}>"
    for enc in (linear, spread):
        for shape in ([32, 32], [16, 8], [64, 128], [8, 32], [16, 1]):
            yield enc, shape
        for dim in (0, 1):
            yield slice_of(dim, enc), [32]

    # shared memory
    for vec in (1, 2, 8, 16):
        for per_phase in (1, 2, 4):
            for max_phase in (1, 4, 8):
                for order in ([1, 0], [0, 1]):
                    for shape in ([8, 8], [64, 64], [32, 128], [128, 16], [1, 64]):
                        yield swizzled(vec, per_phase, max_phase, order), shape
    for bases in ([[1, 0]], [[0, 1]], [[1, 0], [0, 1]], [[0, 0]]):
        yield swizzled(8, 1, 8, [1, 0], bases), [64, 64]
        yield swizzled(4, 2, 4, [0, 1], bases), [32, 128]
    yield swizzled(1, 1, 1, [0]), [256]
    yield swizzled(4, 1, 8, [0], [[1]]), [256]
    for order in ([2, 1, 0], [1, 2, 0], [0, 2, 1]):
        yield swizzled(8, 1, 8, order), [4, 32, 64]
    for width in (0, 32, 64, 128):
        for transposed in (False, True):
            for bits in (8, 16, 32):
                long = lambda shape: shape[0 if transposed else 1] * bits // 8 >= width
                for shape in ([64, 128], [256, 256], [128, 512], [128, 128]):
                    if long(shape):
                        yield nvmma(width, transposed, bits), shape
                for bases in ([[1, 0]], [[0, 1]]):
                    if long([128, 128]):
                        yield nvmma(width, transposed, bits, bases=bases), [256, 256]
            if width:
                yield nvmma(width, transposed, 16, rank=3), ([64, 4, 64] if transposed else [4, 64, 64])
    yield nvmma(128, False, 8, fp4=True), [64, 128]
    yield nvmma(128, True, 8, fp4=True), [128, 64]
    yield shared_linear([[0, 1], [0, 2], [1, 0], [2, 2]], []), [4, 4]
    yield shared_linear([[0, 1], [1, 0], [0, 2]], [[2, 0]]), [4, 4]


def ask(pairs):
    context = ir.context()
    ir.load_dialects(context)
    libtriton.nvidia.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    args = []
    for i, (enc, shape) in enumerate(pairs):
        dims = "x".join(map(str, shape))
        shared = "shared" in enc
        args.append(f"%a{i}: " + (f"!ttg.memdesc<{dims}xf32, {enc}, #ttg.shared_memory>"
                                  if shared else f"tensor<{dims}xf32, {enc}>"))
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir", delete=False) as f:
        f.write(f"tt.func @f({', '.join(args)}) {{ tt.return }}")
    module = ir.parse_mlir_module(f.name, context)
    os.unlink(f.name)
    function = module.get_function("f")
    builder.set_insertion_point_to_start(builder.new_block())  # what is built there is never looked at
    builder.set_loc("layouts", 0, 0)
    for i, (enc, shape) in enumerate(pairs):
        value = function.args(i)
        if "shared" in enc:
            yield {"enc": enc, "shape": shape, "in": shared_bases(builder, value, enc, shape)}
            continue
        layout = builder.get_gluon_layout_from_tensor(value)
        linear = builder.to_linear_layout(layout._to_ir(builder), shape)
        bases = {"register": linear.reg_bases, "lane": linear.lane_bases, "warp": linear.warp_bases,
                 "block": linear.block_bases}
        yield {"enc": enc, "shape": shape, "in": bases}


def shared_bases(builder, value, enc, shape):
    """Triton tells the linear layout of shared memory only where it has no other encoding: of a reshaped
    buffer."""
    if "CGALayout" in enc:  # Triton cannot flatten parts of several CTAs, and keeps no such encoding with one more dimension
        linear = builder.get_gluon_layout_from_memdesc(builder.create_memdesc_reshape(value, shape + [1]))
        return {"offset": [v[:-1] for v in linear.offset_bases],
                "block": [v[:-1] for v in linear.block_bases]}
    total = math.prod(shape)
    linear = builder.get_gluon_layout_from_memdesc(builder.create_memdesc_reshape(value, [total, 1]))
    return {"offset": [unflatten(v[0], shape) for v in linear.offset_bases],
            "block": [unflatten(v[0], shape) for v in linear.block_bases]}


def unflatten(index, shape):
    coords = []
    for n in reversed(shape):
        coords.insert(0, index % n)
        index //= n
    return coords


def main():
    pairs, seen = [], set()
    for enc, shape in cases():
        if (enc, tuple(shape)) not in seen:
            seen.add((enc, tuple(shape)))
            pairs.append((enc, shape))
    text = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in ask(pairs))
    if len(sys.argv) < 2:
        sys.stdout.write(text)
        return
    with open(sys.argv[1], "wb") as out:
        out.write(gzip.compress(text.encode(), mtime=0) if sys.argv[1].endswith(".gz") else text.encode())


if __name__ == "__main__":
    main()
