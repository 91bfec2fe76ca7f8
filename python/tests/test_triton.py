"""The plug-in of Triton, with NumPy's arrays."""

import contextlib
import functools
import io
import os
import subprocess
import sys
import tempfile
import threading
import traceback
import unittest
import unittest.mock

import numpy as np

import nereid

try:
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor

    from nereid.triton_backend import launcher
except ImportError as e:
    raise unittest.SkipTest(f"no triton: {e}")

DEVICES = ("cpu", "interp", "sim:90")


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    y = tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + y, mask=at < n)


@triton.jit
def doubled(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) * 2)


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (64, 256)], key=["n"])
@triton.jit
def tuned(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, at, mask=at < n)


@triton.jit
def kinds(out_ptr, a, b, c, pair, NAME: tl.constexpr):
    tl.store(out_ptr, a)
    tl.store(out_ptr + 1, b)
    tl.store(out_ptr + 2, c)
    tl.store(out_ptr + 3, pair[0] + pair[1][0])
    if NAME == "yes":
        tl.store(out_ptr + 4, 1.0)


@triton.jit
def block(desc, out_ptr, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out_ptr + at, desc.load([0, 0]))


@triton.jit
def copied(x_ptr, out_ptr, stride_m, stride_n, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.store(out_ptr + m * N + n, tl.load(x_ptr + m * stride_m + n * stride_n))


@triton.jit
def products(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


def each(*devices):
    """Runs a test on each device."""
    def decorate(test):
        @functools.wraps(test)
        def run(self):
            for device in devices:
                with self.subTest(device):
                    nereid.activate(device)
                    test(self, device)
        return run
    return decorate


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


class Plugin(unittest.TestCase):
    def tearDown(self):
        nereid.deactivate()

    @each(*DEVICES)
    def test_add(self, device):
        x = np.arange(1000, dtype=np.float32)
        out = np.zeros_like(x)
        k = add[grid](x, x, out, 1000, BLOCK=256)
        np.testing.assert_array_equal(out, 2 * x)
        self.assertIn("tt.func", k.asm["ttir"])
        self.assertIn({"cpu": "asm", "interp": "ttir", "sim:90": "ptx"}[device], k.asm)
        with self.assertRaises(KeyError):
            k.asm["nothing"]
        add[grid](out, out, out, 1000, BLOCK=256)
        np.testing.assert_array_equal(out, 4 * x)

    @each(*DEVICES)
    def test_kinds(self, device):
        out = np.zeros(5, dtype=np.float64)
        kinds[1,](out, 2**40, 0.5, True, (1, (7,)), NAME="yes")
        np.testing.assert_array_equal(out, [2**40, 0.5, 1, 8, 1])
        for n in (-3, 1, 16, 2**31, 2**63):
            kinds[1,](out, n, -1.5, False, (2, (3,)), NAME="no")
            np.testing.assert_array_equal(out[:4], [n, -1.5, 0, 5])

    @each(*DEVICES)
    def test_descriptors(self, device):
        class Base(nereid.tensor):  # Triton asks a base for its type's size
            class dtype(str):
                itemsize, is_floating_point = 4, True

            def __init__(self, x):
                super().__init__(x)
                self.dtype = type(self).dtype("fp32")

        x = np.arange(256, dtype=np.float32).reshape(16, 16)
        out = np.zeros((16, 16), dtype=np.float32)
        block[1,](TensorDescriptor(Base(x), [16, 16], [16, 1], [16, 16]), out, B=16)
        np.testing.assert_array_equal(out, x)

    @each(*DEVICES)
    def test_products(self, device):
        rng = np.random.default_rng(0)
        a, b = (rng.integers(-3, 4, (32, 32)).astype(np.float16) for _ in range(2))
        c = np.zeros((32, 32), dtype=np.float32)
        products[1,](a, b, c, N=32)
        np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))

    @each("cpu")
    def test_autotune(self, device):
        x = np.zeros(300, dtype=np.int32)
        tuned[grid](x, 300)
        np.testing.assert_array_equal(x, np.arange(300))
        self.assertIn(tuned.best_config.kwargs["BLOCK"], (64, 256))

    def test_hooks_and_warmup(self):
        seen = []
        nereid.activate("cpu")
        triton.knobs.runtime.launch_enter_hook.add(lambda m: seen.append(m.get()["name"]))
        try:
            x = np.ones(64, dtype=np.float32)
            k = add.warmup(nereid.tensor(x), nereid.tensor(x), nereid.tensor(x), 64, BLOCK=64, grid=(1,))
            self.assertEqual(seen, [])
            k[1, 1, 1](nereid.tensor(x), nereid.tensor(x), nereid.tensor(x), 64, 64)
            self.assertEqual((seen, x[0]), (["add"], 2))
        finally:
            triton.knobs.runtime.launch_enter_hook.calls.clear()

    def test_faults(self):
        x = np.ones(10, dtype=np.float32)
        for device in ("interp", "sim:90"):
            nereid.activate(device)
            with self.assertRaises(nereid.KernelFault) as caught:
                add[grid](x, x, x, 11, BLOCK=16)
            e = caught.exception
            line = add.fn.__code__.co_firstlineno + 3
            self.assertEqual((os.path.basename(e.file), e.param, e.line), ("test_triton.py", "x_ptr", line))
            self.assertRegex(str(e), r"tl.load\(x_ptr \+ at, mask=at < n\)\n +\^")
        try:
            add[grid](x, x, x, 11, BLOCK=16)
        except nereid.KernelFault as e:
            at = traceback.extract_tb(e.__traceback__)[-1]  # the last frame is the kernel's
            self.assertEqual((at.name, at.lineno, at.filename), ("add", line, e.file))
        nereid.activate("cpu", check=True)
        with self.assertRaises(nereid.KernelFault):
            add[grid](x, x, x, 11, BLOCK=16)

    def test_assertion(self):
        """A failed assertion has the words by which programs written for CUDA know it."""
        for device in DEVICES:
            nereid.activate(device)
            with self.assertRaises(nereid.KernelFault) as caught:
                doubled[1,](np.array([1 << 30], dtype=np.int32), debug=True)
            self.assertRegex(str(caught.exception),
                             r"device-side assert: int32 overflow detected for operation mul\n")

    def test_dump(self):
        nereid.activate("interp")
        for name, block, seen in (("1", 512, True), ("add", 2048, True), ("sub", 4096, False)):
            heard = io.StringIO()
            with unittest.mock.patch.dict(os.environ, {"MLIR_ENABLE_DUMP": name,
                                                       "TRITON_ALWAYS_COMPILE": "1"}):
                with contextlib.redirect_stderr(heard):
                    add.warmup(nereid.tensor(np.zeros(4)), nereid.tensor(np.zeros(4)),
                               nereid.tensor(np.zeros(4)), 4, BLOCK=block, grid=(1,))
            self.assertEqual("IR Dump Before" in heard.getvalue()
                             and "tt.func public @add" in heard.getvalue(), seen)

    def test_deep(self):
        nereid.activate("interp", deep=True)
        x = np.arange(100, dtype=np.float32)
        out = np.zeros_like(x)
        self.assertIsNone(add[grid](x, x, out, 100, BLOCK=64))
        np.testing.assert_array_equal(out, 2 * x)
        nereid.activate("cpu", deep=True)
        y = np.zeros(100, dtype=np.int32)
        self.assertIsNone(tuned[grid](y, 100))  # by Nereid's tuner
        np.testing.assert_array_equal(y, np.arange(100))

        @triton.jit
        def inner(x_ptr):  # no function of the file by its name: Triton's front end has it
            tl.store(x_ptr, 5)

        inner[1,](y)
        self.assertEqual(y[0], 5)

    @each(*DEVICES)
    def test_nothing(self, device):
        none = np.zeros(0, dtype=np.float32)
        add[0,](none, none, none, 0, BLOCK=16)
        add[1,](none, none, none, 0, BLOCK=16)

    @each(*DEVICES)
    def test_strides(self, device):
        x = np.arange(64, dtype=np.float32).reshape(8, 8)
        for v in (x.T, x[::2], x[:, ::2], x[1:3, 4:]):
            out = np.zeros(v.shape, dtype=np.float32)
            copied[1,](v, out, *(n // 4 for n in v.strides), M=v.shape[0], N=v.shape[1])
            np.testing.assert_array_equal(out, v)
        with self.assertRaisesRegex(nereid.ArgumentError, "negative strides"):
            copied[1,](x[::-1], x.copy(), -8, 1, M=8, N=8)

    @each(*DEVICES)
    def test_doubles(self, device):
        x = np.linspace(0, 1, 100)
        out = np.zeros_like(x)
        add[grid](x, x / 3, out, 100, BLOCK=64)
        np.testing.assert_array_equal(out, x + x / 3)

    @each(*DEVICES)
    def test_wrong_device(self, device):
        x, out = np.ones(64, dtype=np.float32), np.zeros(64, dtype=np.float32)
        here = Torch if device == "cpu" else nereid.tensor  # the first is known to quick launches
        for _ in range(2):
            with self.assertRaisesRegex(nereid.ArgumentError,
                                        f"on cuda:0, and the launch on {device}") as caught:
                add[1,](here(x), Elsewhere(), here(out), 64, BLOCK=64)
            self.assertEqual(caught.exception.kernel, "add")
            add[1,](here(x), here(x), here(out), 64, BLOCK=64)

    def test_read_only(self):
        x, out = np.ones(64, dtype=np.float32), np.zeros(64, dtype=np.float32)
        x.flags.writeable = False
        for device in DEVICES:
            nereid.activate(device)
            for _ in range(3):
                add[grid](x, x, out, 64, BLOCK=64)
                self.assertEqual(out[63], 2)
                with self.assertRaisesRegex(nereid.ArgumentError,
                                            "argument 'out_ptr': the array is read-only"):
                    add[grid](x, x, x, 64, BLOCK=64)

    def test_threads(self):
        nereid.activate("cpu")
        wrong = []

        def work(i):
            x = np.full(100 * (i % 4 + 1), i, dtype=np.float32)
            try:
                for _ in range(10):
                    out = np.zeros_like(x)
                    add[grid](x, x, out, x.size, BLOCK=32 << i % 3)
                    np.testing.assert_array_equal(out, 2 * i)
            except Exception as e:
                wrong.append(e)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


class Torch(nereid.tensor):
    """An array with what quick launches ask of PyTorch's tensors, which the tests cannot count on."""

    is_cpu, is_cuda = True, False

    def untyped_storage(self):
        raise AssertionError("asked for by checked launches alone")

    def is_contiguous(self):
        return self.base.flags.c_contiguous

    def numel(self):
        return self.base.size


class Elsewhere:
    """A tensor on a GPU that kernels on the host must not touch."""

    is_cpu, is_cuda, device, dtype, shape = False, True, "cuda:0", "fp32", (64,)

    def data_ptr(self):
        return 1 << 40

    def stride(self):
        return (1,)

    def untyped_storage(self):
        raise AssertionError("its memory is elsewhere")


FACTOR = tl.constexpr(2)


@triton.jit
def scaled(x_ptr, out_ptr, n, s, flag, more_ptr, BLOCK: tl.constexpr = 32):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + at, mask=at < 32) * s + (n % 1024)
    if flag:
        v += 100
    if more_ptr is not None:
        v += tl.load(more_ptr)
    tl.store(out_ptr + at, v * FACTOR, mask=at < 32)


@triton.jit
def asserted():
    tl.static_assert(FACTOR == 2)


@triton.jit
def counted(out, len, callable):
    tl.store(out, len + callable)


@triton.jit
def named(x, y, z, n, at, call, table, stream, grid, found, kernel, error, key):
    s = tl.load(y) + tl.load(z) + tl.load(n) + tl.load(at) + tl.load(call) + tl.load(table) + tl.load(stream)
    tl.store(x, s + tl.load(grid) + tl.load(found) + tl.load(kernel) + tl.load(error) + tl.load(key))


class Quick(unittest.TestCase):
    """Launches that repeat: each is like one by Triton's own way."""

    def setUp(self):
        nereid.activate("cpu")
        scaled.__dict__.pop("_nereid", None)
        self.x = np.arange(64, dtype=np.float32)

    def tearDown(self):
        nereid.deactivate()

    def launch(self, n, s=1.0, flag=False, more=None, x=None, programs=(1,), **kwargs):
        """Launches, and compares the result; it returns the kernel, and whether the launch was known."""
        x = self.x if x is None else x
        out = np.zeros(64, dtype=x.dtype)
        known = len(scaled._nereid.table) if "_nereid" in scaled.__dict__ else 0
        k = scaled[programs](Torch(x), Torch(out), n, s, flag, more and Torch(more), **kwargs)
        want = x[:32] * s + n % 1024 + 100 * flag + (more[0] if more is not None else 0)
        np.testing.assert_allclose(out[:32], 2 * want)
        now = len(scaled._nereid.table) if "_nereid" in scaled.__dict__ else 0
        return k, now == known

    def test_facts(self):
        seen = set()
        for n in (5, 16, 1, 7, 32, 2**31 - 1, 2**31, 2**40 + 3, 2**40, 2**33, 5, 16, 1, 2**40, 2**40 + 5, 0):
            fact = (n == 1, n % 16 == 0, n >= 2**31)
            self.assertEqual(self.launch(n)[1], fact in seen, n)
            seen.add(fact)

    def test_constants_and_types(self):
        self.launch(5)
        for kwargs in ({"BLOCK": 64}, {"num_warps": 2}, {"x": self.x.astype(np.float64)}, {"x": self.x[1:]}):
            self.assertFalse(self.launch(5, **kwargs)[1], kwargs)
            self.assertTrue(self.launch(5, **kwargs)[1], kwargs)
        for other in ({"s": 3}, {"flag": 1}, {"s": np.float32(2)}, {"flag": np.bool_(True)}):  # other classes
            self.launch(5, **other)
            self.launch(5, **other)
        self.assertTrue(self.launch(7, s=0.5, flag=True)[1])

    def test_grids(self):
        self.launch(5)
        asked = []
        self.launch(5, programs=lambda meta: asked.append(dict(meta)) or (1,))
        self.assertEqual((asked[0]["n"], asked[0]["BLOCK"], asked[0]["more_ptr"]), (5, 32, None))
        self.launch(5, programs=[1])
        self.launch(5, programs=(np.int64(1), 1, 1))
        out = np.zeros(64, dtype=np.float32)
        for nothing in ((0,), (1, 0), lambda meta: (0,)):
            scaled[nothing](Torch(self.x), Torch(out), 5, 1.0, False, None)
        self.assertEqual(out.max(), 0)
        with self.assertRaises(ZeroDivisionError):
            self.launch(5, programs=lambda meta: (1 // 0,))

    def test_arrays(self):
        """Arrays of NumPy, without a wrapper."""
        out = np.zeros(64, dtype=np.float32)
        for i in range(6):
            n, x = (5, 7, 16, 16, 5, 16)[i], self.x + i
            known = len(scaled._nereid.table) if "_nereid" in scaled.__dict__ else 0
            scaled[1,](x, out, n, 1.0, False, None)
            np.testing.assert_array_equal(out[:32], 2 * (x[:32] + n))
            self.assertEqual(len(scaled._nereid.table), known + (i in (0, 2)), i)
        for x in (np.arange(65, dtype=np.float32)[1:], self.x.astype(np.float64),
                  np.arange(128, dtype=np.float32)[::2]):
            out = np.zeros(64, dtype=x.dtype)
            for _ in range(2):
                scaled[1,](x, out, 5, 1.0, False, None)
                seen = x.base[:32] if x.strides[0] == 8 and x.itemsize == 4 else x[:32]  # kernels see addresses
                np.testing.assert_array_equal(out[:32], 2 * (seen + 5))
        none = np.zeros(0, dtype=np.float32)
        scaled[0,](none, none, 5, 1.0, False, None)
        self.launch(5)  # with tensors, which the function for arrays does not know

    def test_other_kinds(self):
        """Arguments of other kinds have functions of their own: launches that take turns are quick."""
        more = np.full(1, 3, dtype=np.float32)
        out = np.zeros(64, dtype=np.float32)

        def turn(i):
            self.launch(5 + i)
            self.launch(5 + i, more=more)
            self.launch(5 + i, s=3)
            scaled[1,](self.x, out, 5 + i, 1.0, False, None)
            np.testing.assert_array_equal(out[:32], 2 * (self.x[:32] + 5 + i))

        turn(0)
        with unittest.mock.patch.object(launcher.Launcher, "__call__", autospec=True) as slow:
            for i in range(3):
                turn(i)
            slow.assert_not_called()
        for flag, s in ((1, 1.0), (1, 2), (True, 2)):  # more kinds than are kept
            for _ in range(2):
                self.launch(5, flag=flag, s=s)
        turn(1)

    def test_forgotten(self):
        """A program may clear Triton's cache of a kernel: the next launch is Triton's again."""
        first, _ = self.launch(5)
        self.assertIs(self.launch(5)[0], first)
        scaled.device_caches.clear()
        self.assertIsNot(self.launch(5)[0], first)

    def test_no_parameters(self):
        for _ in range(3):
            self.assertIsNotNone(asserted[2,]())
        with self.assertRaises(TypeError):
            asserted[1,](5)

    def test_names(self):
        """Parameters may have any name: those of builtins, and those that launches use themselves."""
        out = np.zeros(1, dtype=np.int64)
        for n in (5, 6, 7):
            counted[lambda meta: (1,)](out, n, n)
            self.assertEqual(out[0], 2 * n)
        names = ("x", "y", "z", "n", "at", "call", "table", "stream", "grid", "found", "kernel", "error",
                 "key")
        arrays = [np.full(1, i, dtype=np.int64) for i in range(len(names))]
        for wrap in (lambda a: a, Torch):
            named.__dict__.pop("_nereid", None)
            for _ in range(3):
                arrays[0][0] = 0
                named[1,](*map(wrap, arrays))
                self.assertEqual(arrays[0][0], sum(range(len(names))))
            self.assertEqual(len(named._nereid.table), 1)

    def test_strided(self):
        self.launch(5)
        wide = np.zeros((64, 2), dtype=np.float32)
        scaled[1,](Torch(wide[:, 0]), Torch(np.zeros(64, dtype=np.float32)), 5, 1.0, False, None)

    def test_wrong(self):
        self.launch(5)
        with self.assertRaises(TypeError):
            scaled[1,](Torch(self.x), Torch(self.x), 5)
        with self.assertRaises(KeyError):
            self.launch(5, colour=1)
        with self.assertRaises(Exception):
            scaled[1,](Torch(self.x), object(), 5, 1.0, False, None)

    def test_hooks(self):
        self.launch(5)
        seen = []
        hook = lambda data: seen.append(data)  # noqa: E731
        triton.knobs.runtime.launch_enter_hook.add(hook)
        try:
            self.launch(5)
        finally:
            triton.knobs.runtime.launch_enter_hook.remove(hook)
        self.launch(5)
        self.assertEqual(len(seen), 1)
        scaled.add_pre_run_hook(lambda *args, **kwargs: seen.append(kwargs))
        try:
            self.launch(5)
        finally:
            scaled.pre_run_hooks.clear()
        self.assertEqual(len(seen), 2)

    def test_watched(self):
        """A program that replaces JITFunction.run, as recorders of launches do, sees those that repeat,
        too."""
        self.launch(5)
        seen, run = [], triton.JITFunction.run

        def watch(fn, *args, **kwargs):
            seen.append(fn.__name__)
            return run(fn, *args, **kwargs)

        with unittest.mock.patch.object(triton.JITFunction, "run", watch):
            self.launch(5)
        self.assertEqual(len(seen), 1)

    def test_globals(self):
        global FACTOR
        self.launch(5)
        FACTOR = tl.constexpr(3)
        try:
            with self.assertRaisesRegex(RuntimeError, "FACTOR"):
                self.launch(5)
        finally:
            FACTOR = tl.constexpr(2)

    def test_drivers(self):
        self.launch(5)
        nereid.activate("interp")
        x = np.arange(64, dtype=np.float32)
        out = np.zeros_like(x)
        scaled[1,](x, out, 5, 1.0, False, None)
        np.testing.assert_array_equal(out[:32], 2 * x[:32] + 10)
        nereid.activate("cpu", check=True)
        with self.assertRaises(nereid.KernelFault):
            scaled[1,](x[:8].copy(), out, 5, 1.0, False, None)
        nereid.activate("cpu")
        self.launch(5)
        self.assertTrue(self.launch(5)[1])

    def test_threads(self):
        self.launch(5)
        wrong = []

        def work(i):
            try:
                for j in range(50):
                    out = np.zeros(64, dtype=np.float32)
                    scaled[1,](Torch(self.x), Torch(out), i, float(j), False, None)
                    np.testing.assert_array_equal(out[:32], 2 * (self.x[:32] * j + i))
            except Exception as e:
                wrong.append(e)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


class Environment(unittest.TestCase):
    def run_script(self, text, *args, conftest="", **env):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "script.py")
            for name, content in ((path, text), (os.path.join(d, "conftest.py"), conftest)):
                with open(name, "w") as f:
                    f.write(content)
            out = subprocess.run([sys.executable, *args, path], capture_output=True, text=True, timeout=120,
                                 env={**os.environ, "TRITON_CACHE_DIR": d, **env})
        return out

    def test_chosen_by_environment(self):
        out = self.run_script("import triton; d = triton.runtime.driver.active; print(d.device.name)",
                              TRITON_DEFAULT_BACKEND="nereid", NEREID_DEVICE="interp")
        self.assertEqual(out.stdout.strip(), "interp", out.stderr)

    def test_fork(self):
        text = ("import os, numpy, nereid, triton, triton.language as tl\n"
                "@triton.jit\ndef k(x):\n    tl.store(x, tl.load(x) + 1)\n"
                "def use():\n    nereid.activate('interp'); x = numpy.zeros(4); k[1,](x); assert x[0] == 1\n"
                "def child():\n"
                "    if (pid := os.fork()) == 0:\n"
                "        try:\n            use()\n"
                "        except nereid.ForkedError:\n            os._exit(7)\n"
                "        except BaseException:\n            os._exit(9)\n"
                "        os._exit(0)\n"
                "    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\n"
                "print(child()); use(); print(child()); use()\n")
        out = self.run_script(text)
        self.assertEqual(out.stdout.split(), ["0", "7"], out.stderr)

    def test_fork_after_choice(self):
        """The environment's device is opened by the first launch, so that a program may fork before it."""
        text = ("import os, numpy, triton, triton.language as tl\n"
                "@triton.jit\ndef k(x):\n    tl.store(x, tl.load(x) + 1)\n"
                "triton.runtime.driver.active.get_current_target()\n"
                "for _ in range(2):\n"
                "    if (pid := os.fork()) == 0:\n"
                "        x = numpy.zeros(4); k[1,](x); os._exit(int(x[0]))\n"
                "    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\n")
        out = self.run_script(text, TRITON_DEFAULT_BACKEND="nereid", NEREID_DEVICE="interp")
        self.assertEqual(out.stdout.split(), ["1", "1"], out.stderr)

    def test_no_llvm(self):
        text = ("import numpy, nereid, triton, triton.language as tl\n"
                "@triton.jit\ndef k(x):\n    tl.store(x, tl.load(x) + 1)\n"
                "x = numpy.zeros(4)\n"
                "nereid.activate('interp'); k[1,](x)\n"
                "try:\n    nereid.activate('cpu')\nexcept nereid.NoLLVMError as e:\n    print(x[0], 'LLVM' in str(e))\n")
        out = self.run_script(text, NEREID_LLVM="/nowhere/libLLVM.so", NEREID_CACHE_DIR="/nonexistent")
        self.assertEqual(out.stdout.split(), ["1.0", "True"], out.stderr)

    def test_not_installed(self):
        """The package may be on the path alone, unknown to Triton's search for back ends."""
        text = ("import numpy, triton, triton.language as tl\n"
                "triton.backends.backends.pop('nereid', None)\n"
                "import nereid; nereid.activate('interp')\n"
                "@triton.jit\ndef k(x):\n    tl.store(x, 3.0)\n"
                "x = numpy.zeros(4); k[1,](x); print(x[0])\n")
        out = self.run_script(text)
        self.assertEqual(out.stdout.strip(), "3.0", out.stderr)

    def test_exit(self):
        """Kernels outlive the driver that compiled them."""
        text = ("import numpy, nereid, triton, triton.language as tl\n"
                "@triton.jit\ndef k(x):\n    tl.store(x, 3.0)\n"
                "x = numpy.zeros(4); nereid.activate('interp'); k[1,](x); nereid.deactivate(); print(x[0])\n")
        out = self.run_script(text)
        self.assertEqual((out.stdout.strip(), out.stderr), ("3.0", ""))

    def test_imported_first(self):
        for text in ("import nereid.triton_backend.driver as d; d.NereidDriver('interp')",
                     "import nereid.triton_backend.compiler",
                     "import nereid, triton; nereid.activate('interp')"):
            out = self.run_script(text)
            self.assertEqual(out.returncode, 0, text + out.stderr)

    def test_others_stay(self):
        text = ("import triton\nfrom triton.backends.compiler import GPUTarget\n"
                "print(triton.compiler.make_backend(GPUTarget('cuda', 90, 32)).binary_ext)\n"
                "import nereid; nereid.activate('cpu')\n"
                "print(triton.compiler.make_backend(GPUTarget('cuda', 90, 32)).binary_ext)\n"
                "nereid.activate('sim:90')\n"
                "print(triton.compiler.make_backend(GPUTarget('cuda', 90, 32)).binary_ext)\n"
                "nereid.deactivate()\n"
                "print(triton.compiler.make_backend(GPUTarget('cuda', 90, 32)).binary_ext)\n")
        out = self.run_script(text)
        self.assertEqual(out.stdout.split(), ["cubin", "cubin", "nereid", "cubin"], out.stderr)

    def test_pytest(self):
        try:
            import pytest  # noqa: F401
        except ImportError as e:
            self.skipTest(f"no pytest: {e}")
        text = ("import numpy, triton, triton.language as tl\n"
                "@triton.jit\ndef k(x, n):\n    tl.store(x + n, 1.0)\n"
                "def test_right():\n    k[1,](numpy.zeros(4, dtype='f4'), 3)\n"
                "def test_wrong():\n    k[1,](numpy.zeros(4, dtype='f4'), 4)\n")
        out = self.run_script(text, "-m", "pytest", "-q", "--nereid-device", "interp", "-p",
                              "no:cacheprovider")
        self.assertIn("1 failed, 1 passed", out.stdout, out.stderr)
        self.assertRegex(out.stdout, r"script.py:4:(21|5): error: out of bounds store")  # 5 since Triton 3.8
        self.assertRegex(out.stdout, r"script.py:8: \n(_ )+")  # the launch, then the kernel, and nothing between
        self.assertRegex(out.stdout, r"> +tl.store\(x \+ n, 1.0\)\n(.*\n)+.*script.py:4: KernelFault\n")
        self.assertNotIn("jit.py", out.stdout)

    def test_pytest_checks(self):
        """Reads of what nobody wrote, and races of programs, are failures with the kernel's line."""
        try:
            import pytest  # noqa: F401
        except ImportError as e:
            self.skipTest(f"no pytest: {e}")
        text = ("import numpy, triton, triton.language as tl\n"
                "@triton.jit\ndef k(x, y):\n    tl.store(y, tl.load(x + tl.program_id(0)))\n"
                "def test_right():\n    y = numpy.empty(4, dtype='f4'); k[2,](numpy.ones(4, dtype='f4'), y)\n"
                "def test_race():\n    k[2,](numpy.arange(4, dtype='f4'), numpy.zeros(4, dtype='f4'))\n"
                "def test_uninit():\n    k[1,](numpy.empty(4, dtype='f4'), numpy.zeros(4, dtype='f4'))\n")
        run = ("-m", "pytest", "-q", "--nereid-device", "interp", "-p", "no:cacheprovider")
        out = self.run_script(text, *run, "--no-nereid-races", "--no-nereid-uninit")
        self.assertIn("3 passed", out.stdout, out.stderr)
        asks = "from nereid.triton_backend import active\nassert active().device.name == 'interp'\n"
        out = self.run_script(text, *run, conftest=asks)
        self.assertIn("2 failed, 1 passed", out.stdout, out.stderr)
        self.assertRegex(out.stdout, r"script.py:4:\d+: error: race: store to index 0 of y")
        self.assertRegex(out.stdout,
                         r"script.py:4:\d+: error: load of index 0 of x, which nobody has written")


if __name__ == "__main__":
    unittest.main()
