"""Kernels from Python without Triton: python -m unittest discover python/tests."""

import array
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import venv

import numpy as np

import nereid

ADD = '''
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr = 256):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y, mask=at < n)

@triton.jit
def scale(x_ptr, n, by, KIND: tl.constexpr, T: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n).to(T)
    if KIND == "twice":
        x = x * 2
    tl.store(x_ptr + at, x * by, mask=at < n)

@triton.jit
def wrong(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), tl.arange(0, 2 * BLOCK))

@triton.jit
def first(desc, out, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out + at, desc.load([0, 0]))

@triton.jit
def sums(pair, out):
    tl.store(out, pair[0] + pair[1])
'''
DEVICES = ("cpu", "interp", "sim:90")


def grid(meta):
    return (nereid.cdiv(meta["n"], meta["BLOCK"]),)


class Launches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = nereid.parse(ADD, "add.py")

    def test_add(self):
        x = np.arange(1000, dtype=np.float32)
        for device in DEVICES:
            with self.subTest(device):
                out = np.zeros_like(x)
                self.module["add"].on(device)[grid](x, x, out, x.size)
                np.testing.assert_array_equal(out, x + x)

    def test_in_place(self):
        for device in DEVICES:
            with self.subTest(device):
                x = np.arange(1000, dtype=np.float32)
                self.module["add"].on(device)[4,](x, x, x, 1000)
                np.testing.assert_array_equal(x, 2 * np.arange(1000, dtype=np.float32))

    def test_types(self):
        for t in (np.float64, np.float16, np.int8, np.uint32, np.int64):
            with self.subTest(t):
                x, out = np.arange(100).astype(t), np.zeros(100, dtype=t)
                self.module["add"].on("cpu")[1](x, x, out, 100, BLOCK=128)
                np.testing.assert_array_equal(out, x + x)

    def test_constexprs(self):
        x = np.ones(10, dtype=np.float32)
        self.module["scale"].on("cpu")[1](x, 10, 1.5, KIND="twice", T=nereid.dtype("fp32"), BLOCK=16,
                                          num_warps=2)
        np.testing.assert_array_equal(x, np.full(10, 3, dtype=np.float32))

    def test_tuples_and_descriptors(self):
        x = np.arange(256, dtype=np.float32).reshape(16, 16)
        for device in DEVICES:
            with self.subTest(device):
                out = np.zeros(256, dtype=np.float32)
                d = nereid.TensorDescriptor(x, x.shape, [16, 1], [16, 16])
                self.module["first"].on(device)[1](d, out, B=16)
                np.testing.assert_array_equal(out.reshape(16, 16), x)
                s = np.zeros(1, dtype=np.int32)
                self.module["sums"].on(device)[1]((3, 4), s)
                self.assertEqual(s[0], 7)

    def test_other_arrays(self):
        a, out = array.array("f", [1, 2, 3]), array.array("f", [0, 0, 0])
        self.module["add"].on("cpu")[1](a, a, out, 3)
        self.assertEqual(list(out), [2, 4, 6])

        class Dl:  # DLPack alone
            def __init__(self, x):
                self.x = x

            def __dlpack__(self, stream=None):
                return self.x.__dlpack__()

        x, out = np.ones(8, dtype=np.float32), np.zeros(8, dtype=np.float32)
        self.module["add"].on("interp")[1](Dl(x), Dl(x), Dl(out), 8)
        np.testing.assert_array_equal(out, 2 * x)

    def test_strides_and_nothing(self):
        x = np.ones((64, 2), dtype=np.float32)
        out = np.zeros(64, dtype=np.float32)
        self.module["add"].on("interp")[1](x[:, 0], x[:, 1], out, 64, BLOCK=64)  # as on a GPU: addresses count
        np.testing.assert_array_equal(out, 2)
        none = np.zeros(0, dtype=np.float32)
        for device in DEVICES:
            self.module["add"].on(device)[1](none, none, none, 0)
        with self.assertRaises(nereid.ArgumentError):
            self.module["add"].on("cpu")[1](out[::-1], out, out, 64)

    def test_code(self):
        k = self.module["add"].on("cpu")
        x = np.ones(64, dtype=np.float32)
        s = k.signature(x, x, x, 64, BLOCK=64)
        self.assertEqual(s, "*fp32:16, *fp32:16, *fp32:16, i32:16, 64")
        self.assertIn("tt.func", k.compile(s).asm["ttir"])
        code = k.compile(s, target="cuda:90", until="ptx")
        self.assertIn(".entry add", code.asm["ptx"])

    def test_ir(self):
        k = self.module["add"].on("interp")
        text = k.compile("*fp32:16, *fp32, *fp32, i32, 64", until="source").asm["source"]
        for device in DEVICES:
            with self.subTest(device):
                again = nereid.parse_ir(text, device=device)["add"]
                self.assertEqual(again.params, ["x_ptr", "y_ptr", "out_ptr", "n"])
                x, out = np.ones(60, dtype=np.float32), np.zeros(60, dtype=np.float32)
                again[1](x, x, out, 60)
                np.testing.assert_array_equal(out, 2)


class Ahead(unittest.TestCase):
    """Code that is compiled, saved, loaded, compared with its source."""

    def test_saved(self):
        code = nereid.parse(ADD)["add"].compile("*fp32, *fp32, *fp32, i32, 32", "cpu")
        x = np.arange(100, dtype=np.float32)
        out = np.zeros_like(x)
        nereid.load_code(code.save(), "cpu")[4](x, x, out, 100)
        np.testing.assert_array_equal(out, 2 * x)
        with self.assertRaises(nereid.ArgumentError):
            code[4](x, x, out, 100)
        with self.assertRaises(nereid.NereidError):
            nereid.load_code(b"nothing", "cpu")

    def test_verify(self):
        x = np.arange(1, 101, dtype=np.float32)
        out = np.zeros_like(x)
        add = nereid.parse(ADD)["add"]
        for device in ("sim:90", "sim:gfx942"):
            self.assertEqual(add.verify(grid, x, x, out, 100, device=device), 100)
        self.assertEqual(out.max(), 0)  # copies were written
        with self.assertRaisesRegex(nereid.ArgumentError, "leaves every element"):
            add.verify(1, x, x, out, 0)
        with self.assertRaises(nereid.RefusedError):
            add.verify(grid, x, x, out, 100, device="cpu")

    def test_verify_differs(self):
        from nereid import _args, _verify
        zeros, ones = (_verify._Copy(_args.dtype_code("int32"), np.full(8, v, dtype=np.int32).tobytes())
                       for v in (0, 1))
        self.assertEqual(_verify._compare("k", zeros.data, ones, ones, "sim:90"), 8)
        with self.assertRaisesRegex(nereid.KernelFault, "8 of 8 elements differ, first 0: source 0, code 1"):
            _verify._compare("k", zeros.data, zeros, ones, "sim:90")

    @unittest.skipUnless(os.environ.get("NEREID_TEST_BUNDLE"), "NEREID_TEST_BUNDLE names no bundle")
    def test_bundle(self):
        b = nereid.open_bundle(os.environ["NEREID_TEST_BUNDLE"])
        name = next(n for n in b if n.endswith("fp32_1024"))
        self.assertEqual((b[name].kernel, b[name].constants["BLOCK_SIZE"]), ("softmax_kernel", "1024"))
        x = np.random.default_rng(0).standard_normal((3, 1000), dtype=np.float32)
        out = np.zeros_like(x)
        b.load(name, "cpu")[3](out, x, 1000, 1000, 1000)
        e = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-5)
        with self.assertRaisesRegex(nereid.ArgumentError, "no variant"):
            b.load("nothing", "cpu")
        with self.assertRaisesRegex(nereid.NereidError, "no code for interp"):
            b.load(name, "interp")

    def test_no_bundle(self):
        with self.assertRaises(nereid.FileError):
            nereid.open_bundle("/nowhere.nrb")


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = nereid.parse(ADD, "add.py")

    def test_compile(self):
        with self.assertRaises(nereid.CompileError) as caught:
            self.module["wrong"].on("cpu")[1](np.zeros(8, dtype=np.int32), BLOCK=8)
        e = caught.exception
        self.assertEqual((e.file, e.line), ("add.py", 22))
        self.assertIn("^", str(e))
        self.assertEqual(e.diagnostics[0].code, "shape-mismatch")

    def test_bounds(self):
        x = np.ones(10, dtype=np.float32)
        for device, options in (("interp", {}), ("sim:90", {}), ("cpu", {"check": True})):
            with self.subTest(device), self.assertRaises(nereid.KernelFault) as caught:
                self.module["add"].on(device)[1](x, x, x, 11, **options)
            self.assertEqual((caught.exception.line, caught.exception.param), (8, "x_ptr"))

    def test_arguments(self):
        k, x = self.module["add"].on("cpu"), np.ones(4, dtype=np.float32)
        for args, kwargs in (((x, x, x), {}), ((x, x, x, object()), {}), ((x, x, x, 4), {"NO": 1}),
                             ((x, x, x, 1 << 70), {}), ((x, x, 5, 4), {})):
            with self.subTest(kwargs), self.assertRaises(nereid.ArgumentError):
                k[1](*args, **kwargs)
        with self.assertRaises(KeyError):
            self.module["nothing"]
        with self.assertRaises(nereid.ArgumentError):
            k[1, 1, 1, 1](x, x, x, 4)
        with self.assertRaises(ZeroDivisionError):  # a grid's own exceptions pass
            k[lambda meta: (1 // 0,)](x, x, x, 4)

    def test_others(self):
        with self.assertRaises(OSError):
            nereid.load("no such file.py")
        with self.assertRaises(nereid.NereidError):
            nereid.device("abacus")
        with self.assertRaises(nereid.ArgumentError):
            nereid.parse(ADD, colour=1)


class Processes(unittest.TestCase):
    def test_threads(self):
        module, wrong = nereid.parse(ADD, "threads.py"), []

        def work(i):
            x = np.full(500 + i, i, dtype=np.float32)
            try:
                for _ in range(20):
                    out = np.zeros_like(x)
                    module["add"].on("cpu")[grid](x, x, out, x.size)
                    np.testing.assert_array_equal(out, 2 * i)
            except Exception as e:
                wrong.append(e)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def run_python(self, text, python=sys.executable, **env):
        out = subprocess.run([python, "-c", textwrap.dedent(text)], capture_output=True, text=True,
                             env={**os.environ, **env}, timeout=120)
        self.assertEqual(out.returncode, 0, out.stderr)
        return out.stdout

    def test_demonstration(self):
        out = subprocess.run([sys.executable, "-m", "nereid", "cpu", "interp"], capture_output=True,
                             text=True, timeout=120)
        self.assertEqual((out.returncode, out.stdout.count("1 + 2 = 3, right")), (0, 2), out.stderr)
        out = subprocess.run([sys.executable, "-m", "nereid", "abacus"], capture_output=True, text=True,
                             timeout=120)
        self.assertEqual((out.returncode, "no device" in out.stdout), (1, True), out.stderr)

    def test_fork(self):
        script = '''
            import os, sys, numpy, nereid
            def child(f):
                pid = os.fork()
                if pid == 0:
                    try:
                        f()
                        os._exit(0)
                    except nereid.ForkedError:
                        os._exit(7)
                    except BaseException as e:
                        print(e, file=sys.stderr); os._exit(9)
                return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            def use():
                nereid.device("interp"); nereid.parse("x = 1")
            print(child(use)); use(); print(child(use)); use()
        '''
        self.assertEqual(self.run_python(script).split(), ["0", "7"])

    def test_environment(self):
        """What a program sets in os.environ before the first use counts."""
        script = '''
            import os, nereid
            os.environ["NEREID_DEVICE"] = "sim:80"
            del os.environ["NEREID_CHECK"]
            print(nereid.device().name)
            os.environ["NEREID_DEVICE"] = "interp"  # too late
            print(nereid.device().name)
        '''
        self.assertEqual(self.run_python(script, NEREID_CHECK="1").split(), ["sim:80", "sim:80"])

    def test_read_only(self):
        """Memory that the system protects is an error where the kernel writes to it, and an input
        elsewhere."""
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "data")
            np.ones(64, dtype=np.float32).tofile(path)
            fixed, x = np.memmap(path, dtype=np.float32, mode="r"), np.zeros(64, dtype=np.float32)
            k = nereid.parse(ADD)["add"]
            code = nereid.load_code(k.compile(k.signature(x, x, x, 64), "cpu").save(), "cpu")
            for launch in (k.on("cpu")[1], k.on("interp")[1], k.on("sim:90")[1], code[1]):
                launch(fixed, fixed, x, 64)
                self.assertEqual(x[63], 2)
                with self.assertRaisesRegex(nereid.ArgumentError, "argument 'out.*read-only"):
                    launch(x, x, fixed, 64)
            del fixed

    def test_misuse(self):
        k, x = nereid.parse(ADD)["add"].on("interp"), np.zeros(64, dtype=np.float32)
        for error, launch, text in (
                (TypeError, lambda: k(x, x, x, 64), r"add\[grid\]"),
                (nereid.ArgumentError, lambda: k[1.5](x, x, x, 64), "no grid"),
                (nereid.ArgumentError, lambda: k[1, 1, 1, 1](x, x, x, 64), "no grid"),
                (nereid.ArgumentError, lambda: k[1]([1.0], x, x, 64), "a list is no array"),
                (nereid.ArgumentError, lambda: k[1](b"1234", x, x, 64), "a bytes cannot be written")):
            with self.assertRaisesRegex(error, text):
                launch()
        self.assertRegex(repr(k.module), r"^nereid.Module\('kernel.py': add")

    def test_shared_cache(self):
        script = '''
            import numpy, nereid
            x = numpy.ones(8, dtype=numpy.float32)
            k = nereid.parse({!r})["add"].on("cpu")
            k[1](x, x, x, 8); print(x[0])
        '''.format(ADD)
        with tempfile.TemporaryDirectory() as d:
            cache, other = os.path.join(d, "cache"), os.path.join(d, "venv")
            venv.create(other)  # another virtual environment, with this one's packages on its path
            path = os.pathsep.join(p for p in sys.path if p)
            for python in (sys.executable, os.path.join(other, "bin", "python")):
                out = self.run_python(script, python, NEREID_CACHE_DIR=cache, PYTHONPATH=path)
                self.assertEqual(out.strip(), "2.0")
                entries = [f for _, _, files in os.walk(cache) for f in files]
                self.assertTrue(entries)
                if python == sys.executable:
                    first = entries
            self.assertEqual(sorted(entries), sorted(first))  # the second one compiled nothing

    def test_no_llvm(self):
        script = '''
            import nereid, numpy
            x = numpy.ones(8, dtype=numpy.float32)
            k = nereid.parse({!r})["add"]
            k.on("interp")[1](x, x, x, 8)
            try:
                k.on("cpu")[1](x, x, x, 8)
            except nereid.NereidError as e:
                print(type(e).__name__, e)
        '''.format(ADD)
        out = self.run_python(script, NEREID_LLVM="/nowhere/libLLVM.so", NEREID_CACHE_DIR="/nonexistent")
        self.assertIn("LLVM", out)


if __name__ == "__main__":
    unittest.main()
