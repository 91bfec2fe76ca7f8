# The atomic read its operand from the register that its own result had cleared.
# launch warps=1 ctas=1 check=false grid=1 overlap=false
# tensor name=x0 type=i32 len=48 offset=0 perm=0 seed=368
# scalar name=n1 value=2
import triton
import triton.language as tl


@triton.jit
def kernel(x0, n1):
    i = tl.arange(0, 32)
    v1 = tl.load(x0 + (i))
    if (n1 < 3):
        v1 = tl.atomic_min(x0 + (i), v1)
    tl.store(x0 + (i), v1, mask=(i < 5))
