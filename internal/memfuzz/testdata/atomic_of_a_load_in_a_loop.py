# The atomic read its operand from the register that its own result had cleared.
# launch warps=1 ctas=1 check=false grid=1 overlap=false
# tensor name=x1 type=i32 len=48 offset=0 perm=0 seed=375
# scalar name=n0 value=2
import triton
import triton.language as tl


@triton.jit
def kernel(x1, n0):
    i = tl.arange(0, 32)
    q2 = x1 + (i)
    v3 = tl.load(x1 + (i))
    for k5 in range(0, n0):
        v3 = tl.atomic_and(q2, v3)
