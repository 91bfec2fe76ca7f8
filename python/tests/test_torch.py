"""Tensors of PyTorch, through the plug-in and without it."""

import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import nereid

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as e:
    raise unittest.SkipTest(f"no torch: {e}")

DEVICES = ("cpu", "interp", "sim:90")


@triton.jit
def shift(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


@triton.jit
def rows(x_ptr, out_ptr, stride_m, stride_n, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.store(out_ptr + m * N + n, tl.load(x_ptr + m * stride_m + n * stride_n))


class Tensors(unittest.TestCase):
    def tearDown(self):
        nereid.deactivate()

    def each(self, test):
        for device in DEVICES:
            with self.subTest(device):
                nereid.activate(device)
                test()

    def test_types(self):
        def test():
            for t in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.uint8,
                      torch.int64):
                x = torch.arange(10).to(t)
                out = torch.zeros_like(x)
                shift[1,](x, out, 10, BLOCK=16)
                self.assertTrue(torch.equal(out, x + 1), (t, out))
        self.each(test)

    def test_strides(self):
        def test():
            x = torch.arange(512, dtype=torch.float32).reshape(16, 32)
            for v in (x.t(), x[:, ::2].t(), x[::4], x[3:7, 8:]):
                out = torch.zeros(v.shape)
                if any(n & (n - 1) for n in v.shape):
                    continue
                rows[1,](v, out, v.stride(0), v.stride(1), M=v.shape[0], N=v.shape[1])
                self.assertTrue(torch.equal(out, v), v.shape)
        self.each(test)

    def test_overlap(self):
        def test():
            x = torch.arange(64, dtype=torch.float32)
            shift[1,](x, x[16:], 16, BLOCK=16)  # one storage, two views
            self.assertTrue(torch.equal(x[16:32], torch.arange(1, 17, dtype=torch.float32)))
            shift[1,](x[32:], x[32:], 32, BLOCK=32, num_warps=1)
            self.assertTrue(torch.equal(x[32:], torch.arange(33, 65, dtype=torch.float32)))
        self.each(test)

    def test_beyond_a_view(self):
        def test():
            x = torch.zeros(64)
            shift[1,](x[0], x[0], 64, BLOCK=64, num_warps=1)  # the kernel uses the whole storage
            self.assertTrue(torch.equal(x, torch.ones(64)))
        self.each(test)

    def test_nothing(self):
        def test():
            none = torch.zeros(0)
            shift[1,](none, none, 0, BLOCK=16)
            shift[0,](none, none, 0, BLOCK=16)
        self.each(test)

    def test_wrong(self):
        def test():
            x = torch.ones(16)
            for wrong in (x.to("meta"), x.to_sparse()):
                with self.assertRaises((nereid.NereidError, TypeError, RuntimeError, ValueError)):
                    shift[1,](wrong, x, 16, BLOCK=16)
            with self.assertRaises(nereid.ArgumentError):
                shift[1,](torch.nn.Parameter(x.to("meta")), x, 16, BLOCK=16)
        self.each(test)

    def test_subclasses_and_grad(self):
        def test():
            x = torch.nn.Parameter(torch.ones(16))
            out = torch.zeros(16)
            shift[1,](x, out, 16, BLOCK=16)
            self.assertEqual(out[0], 2)
            shift[1,](triton.reinterpret(out.to(torch.int32), tl.int32), out, 0, BLOCK=16)
        self.each(test)

    def test_without_triton(self):
        m = nereid.parse("import triton\nimport triton.language as tl\n@triton.jit\ndef one(x):\n"
                         "    tl.store(x, 1.0)\n")
        for device in DEVICES:
            x = torch.zeros(4, dtype=torch.bfloat16)
            m["one"].on(device)[1](x)
            self.assertEqual(x[0], 1)
        with self.assertRaises(nereid.ArgumentError):
            m["one"].on("cpu")[1](torch.zeros(4, device="meta"))

    def test_as_cuda(self):
        """Tests that name CUDA: their tensors are in host memory, and torch.cuda answers."""
        text = """
import pytest, torch, triton, triton.language as tl

@triton.jit
def add_one(x):
    tl.store(x, tl.load(x) + 1)

@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("make", [lambda: torch.ones(1, device="cuda"), lambda: torch.ones(1).cuda(),
                                  lambda: torch.ones(1).to("cuda:0"), lambda: torch.ones(1).to(torch.device("cuda")),
                                  lambda: torch.nn.Linear(1, 1, device="cuda").cuda().weight.detach().fill_(1),
                                  lambda: torch.ones(1, device=torch.cuda.current_device())])
def test_one(make):
    torch.manual_seed(0)
    torch.cuda.manual_seed_all(0)
    with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
        x = make()
    assert isinstance(torch.cuda.current_stream(), torch.cuda.Stream | None)
    assert x.is_cuda
    add_one[(torch.cuda.device_count(),)](x)
    torch.cuda.synchronize()
    assert x.to("cpu").item() == 2
    assert torch.cuda.get_device_capability() == (9, 0)
    assert torch.cuda.get_device_properties(0).multi_processor_count >= 132
"""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "test_one.py")
            with open(file, "w") as f:
                f.write(text)
            out = subprocess.run([sys.executable, "-m", "pytest", "-q", "--nereid-device", "interp",
                                  "--nereid-as-cuda", "-p", "no:cacheprovider", file], capture_output=True,
                                 text=True)
        if "No module named pytest" in out.stderr:
            self.skipTest("no pytest")
        self.assertIn("6 passed", out.stdout, out.stdout + out.stderr)

    def test_inductor(self):
        """Kernels that torch.compile writes for the CPU if it is told to write Triton."""
        import torch._inductor.config as config

        from nereid.triton_backend import launcher
        if not hasattr(config, "cpu_backend"):
            self.skipTest("this PyTorch writes C++ for the CPU")
        nereid.activate("cpu")
        launch = launcher.Launcher.__call__
        with config.patch(cpu_backend="triton", compile_threads=1, fx_graph_cache=False), \
                unittest.mock.patch.object(launcher.Launcher, "__call__", autospec=True,
                                           side_effect=launch) as launched:
            x = torch.randn(64, 100)
            f = torch.compile(lambda x: torch.softmax(torch.nn.functional.gelu(x) + 1, -1))
            torch.testing.assert_close(f(x), torch.softmax(torch.nn.functional.gelu(x) + 1, -1))
            self.assertGreater(launched.call_count, 0)


if __name__ == "__main__":
    unittest.main()
