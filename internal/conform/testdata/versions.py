"""Kernels that show what differs between releases of Triton, one for each kind of change.

Each has a comment: its signature, and the releases that take it, if not all do. peer/versions.py has each release's wheel
compile them; the answers are kept in internal/lang/testdata/versions.json.gz.
"""
import triton
import triton.language as tl
from triton.language.extra import libdevice


# sig: *fp32, *fp32
@triton.jit
def negation(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, -tl.load(x + i))


# sig: *fp32, *fp32
@triton.jit
def precise_fdiv(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, tl.fdiv(v, v + 3.0, ieee_rounding=True))


# sig: *fp32, *fp32
# since: 3.9
@triton.jit
def approx_fdiv(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, tl.fdiv(v, v + 3.0, approx=True))


# sig: *bf16, *bf16
@triton.jit
def bf16_maximum(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, tl.maximum(v, 0.3) + tl.minimum(v, 0.1))


# sig: *bf16, *fp32
@triton.jit
def bf16_scan(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0).to(tl.float32))


# sig: *bf16, *fp32
@triton.jit
def bf16_max(x, out):
    i = tl.arange(0, 16)
    v, at = tl.max(tl.load(x + i), 0, return_indices=True)
    tl.store(out, v.to(tl.float32) + at)


# sig: *bf16, *bf16
@triton.jit
def bf16_clamp(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.clamp(tl.load(x + i), -0.3, 0.3))


# sig: *i32, *i32
# since: 3.9
@triton.jit
def integer_clamp(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.clamp(tl.load(x + i), -3, 3))


# sig: *fp16, *i32
@triton.jit
def scalar_compare(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, (tl.load(x + i) >= 0.1).to(tl.int32))


# sig: *fp16, *fp16
@triton.jit
def scalar_fma(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.fma(tl.load(x + i), 0.1, 0.3))


# sig: *fp32, *fp32
@triton.jit
def fp8_division(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i).to(tl.float8e5)
    w = (tl.load(x + i) + 4.0).to(tl.float8e5)
    tl.store(out + i, (v.to(tl.float32) / w.to(tl.float32)))


# sig: *fp16, *bf16
@triton.jit
def halves(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i).to(tl.bfloat16))


# sig: *fp32, *fp32
@triton.jit
def signed_zero(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i) * 0.0 + tl.full([16], -0.0, tl.float32))


# sig: *fp32, *fp32
# since: 3.7
@triton.jit
def fp8_constant(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i) + tl.full([16], 1.7, tl.float8e5).to(tl.float32))


# sig: *fp32, *fp32
# since: 3.7
@triton.jit
def cat_along(x, out):
    r, c = tl.arange(0, 4), tl.arange(0, 8)
    v = tl.load(x + r[:, None] * 8 + c[None, :])
    w = tl.cat(v, v * 2, dim=1)
    tl.store(out + r[:, None] * 16 + tl.arange(0, 16)[None, :], w)


# sig: *fp32, *fp32
# since: 3.7
@triton.jit
def squeezed(x, out):
    i = tl.arange(0, 16)
    v = tl.unsqueeze(tl.load(x + i), 0)
    tl.store(out + i, tl.squeeze(v + 1.0, 0))


@triton.jit
def width(x):
    if x.dtype == tl.float32:
        return 8
    else:
        return 16


# sig: *fp32, *fp32
# since: 3.7
@triton.jit
def known_return(x, out):
    n: tl.constexpr = width(tl.load(x))
    tl.store(out + tl.arange(0, n), n)


# sig: *fp32, *fp32
@triton.jit
def softmax_shape(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.softmax(tl.load(x + i)))


# sig: *fp32, *fp32
# since: 3.8
@triton.jit
def topk_smallest(x, out):
    v = tl.topk(tl.load(x + tl.arange(0, 16)), 4, descending=False)
    tl.store(out + tl.arange(0, 4), v)


# sig: *fp32, *fp32
@triton.jit
def topk_largest(x, out):
    v = tl.topk(tl.load(x + tl.arange(0, 16)), 4)
    tl.store(out + tl.arange(0, 4), v)


# sig: *fp32, *fp32
# since: 3.8
@triton.jit
def streaming(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, cache_modifier=".cs"))


# sig: *fp32, *fp32
# since: 3.9
@triton.jit
def cache_words(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i, cache_modifier="cg", eviction_policy="evict_normal")
    tl.store(out + i, v, cache_modifier="none", eviction_policy="evict_first")


# sig: *fp32, *fp32
@triton.jit
def kept_items(x, out):
    i = tl.arange(0, 16)
    factors = [k for k in (1, 2, 3, 4) if k > 2]
    tl.store(out + i, tl.load(x + i) * factors[0] + factors[1])


# sig: *fp32, *fp32
@triton.jit
def declared(x, out):
    i = tl.arange(0, 16)
    n: tl.constexpr
    if tl.load(x + 1) > 0:
        v = tl.load(x + i)
    else:
        v = tl.load(x + i) * 2
    n = 3
    tl.store(out + i, v + n)


# sig: *fp32, *fp32
# since: 3.8
@triton.jit
def expected_zero(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, tl.expect_zero(v, v != v))


# sig: *fp16, *fp16
# since: 3.8
@triton.jit
def dot_type(x, out):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    v = tl.load(x + i * 16 + j)
    acc = tl.zeros([16, 16], tl.float16)
    tl.store(out + i * 16 + j, tl.dot(v, v, acc))


# sig: *fp32, *fp32
# since: 3.9
@triton.jit
def atomic_access(x, out):
    i = tl.arange(0, 16)
    tl.atomic_store(out + i, tl.atomic_load(x + i, sem="relaxed") + 1.0)


# sig: *i32, *i32
# since: 3.9
@triton.jit
def atomic_wait(x, out):
    tl.atomic_store(x, 5)
    ok = tl.atomic_poll(x, 5)
    tl.store(out, ok.to(tl.int32))


# sig: *fp32, *fp32
# since: 3.9
@triton.jit
def product_type(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.cumprod(tl.load(x + i).to(tl.float16), 0, dtype=tl.float32))


# sig: *i32, *i1
@triton.jit
def store_bool(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i) * 256)


@triton.jit
def total(first, *others):
    for k in tl.static_range(len(others)):
        first += others[k]
    return first


# sig: *fp32, *fp32
# since: 3.8
@triton.jit
def variadic(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, total(v, v, v * 2))


# sig: *fp32, *fp32
@triton.jit
def random_numbers(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.rand(7, i))


# sig: *fp32, *fp32
# until: 3.8
@triton.jit
def block_pointer(x, out):
    p = tl.make_block_ptr(x, (16, ), (1, ), (0, ), (16, ), (0, ))
    q = tl.make_block_ptr(out, (12, ), (1, ), (0, ), (16, ), (0, ))
    tl.store(q, tl.load(p, boundary_check=(0, )), boundary_check=(0, ))


# sig: *fp32, *fp32
@triton.jit
def reflected(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, tl.where(0.2 <= v, 1.0, 0.0) + tl.where(1.0 == v, 2.0, 0.0))


# sig: *fp32, *fp32
# since: 3.8
@triton.jit
def promised_tuple(x, out):
    n: tl.constexpr
    k: tl.constexpr
    (n, k), twice = (16, 3), 2
    i = tl.arange(0, n)
    tl.store(out + i, tl.load(x + i) * k * twice)


# sig: *i32, *i32
@triton.jit
def narrow_cdiv(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.cdiv(tl.load(x + i).to(tl.int8) * 16, 100).to(tl.int32))


@tl.core._aggregate
class Scaled:
    value: tl.tensor
    factor: tl.constexpr = 2

    @triton.jit
    def __add__(self, other):
        return self.value * self.factor + other

    @triton.jit
    def __radd__(self, other):
        return other * 128 + self.value * self.factor


# sig: *fp32, *fp32
# since: 3.8
@triton.jit
def aggregate_fields(x, out):
    i = tl.arange(0, 16)
    twice = Scaled(tl.load(x + i))
    thrice = tl.core.aggregate_replace(twice, factor=tl.constexpr(3))
    tl.store(out + i, twice.value * twice.factor + thrice.value * thrice.factor)


# sig: *fp32, *fp32
# since: 3.9
@triton.jit
def aggregate_on_the_right(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, v + Scaled(v))


# sig: *fp32, *fp32
# since: 3.7
@triton.jit
def made_tensor(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i) + tl.to_tensor(0.5))


# sig: *fp32, *fp32
@triton.jit
def fp8_quotient(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i).to(tl.int32).to(tl.float32).to(tl.float8e5)
    w = (i // 4 + 2).to(tl.float32).to(tl.float8e5)
    tl.store(out + i, (v / w).to(tl.float32) + (v % w).to(tl.float32))


# sig: *fp32, *fp32
@triton.jit
def softmax_rows(x, out):
    at = tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(out + at, tl.softmax(tl.load(x + at), 1))


# sig: *fp32, *fp32
# until: 3.8
@triton.jit
def options_by_place(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, None, None, (), "", ".cg", "evict_last"))


# sig: *fp32, *fp32
@triton.jit
def options_by_keyword(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, cache_modifier=".cg", eviction_policy="evict_last"), cache_modifier=".cs")


# sig: *i32, *i32
# since: never
@triton.jit
def number_as_mask(x, out):
    i = tl.arange(0, 16)
    tl.atomic_add(out + i, tl.load(x + i), mask=i // 8)


# sig: *i32, *i32
@triton.jit
def bool_as_mask(x, out):
    i = tl.arange(0, 16)
    tl.atomic_add(out + i, tl.load(x + i), mask=i // 8 != 0)


# sig: *fp32, *fp32
# since: 3.9
@triton.jit
def atomic_scopes(x, out):
    i = tl.arange(0, 16)
    v = tl.atomic_load(x + i, sem="acquire", scope="cta")
    tl.atomic_store(out + i, v * 2.0, mask=i < 12, sem="release", scope="sys")


@triton.jit
def described(pair, row):
    return pair[0].load([row, 0])


# sig: *fp32, *fp32
@triton.jit
def descriptors_in_tuple(x, out):
    pair = (tl.make_tensor_descriptor(x, [4, 16], [16, 1], [2, 16]), tl.make_tensor_descriptor(out, [4, 16], [16, 1], [2, 16]))
    for row in range(0, 4, 2):
        pair[1].store([row, 0], described(pair, row) + 1.0)


# sig: *fp32, *fp32
# until: 3.8
@triton.jit
def block_pointer_loop(x, out):
    p = tl.make_block_ptr(x, (10, 16), (16, 1), (0, 0), (4, 8), (1, 0))
    q = tl.make_block_ptr(out, (10, 14), (16, 1), (0, 8), (4, 8), (1, 0))
    for _ in range(3):
        v = tl.load(p, boundary_check=(0, ), padding_option="zero")
        tl.store(q, v + 1.0, boundary_check=(0, 1))
        p = tl.advance(p, (4, 0))
        q = tl.advance(q, (4, 0))


@triton.jit
def later(p, rows):
    return tl.advance(p, (rows, 0))


# sig: *fp32, *fp32
# until: 3.8
@triton.jit
def block_pointer_passed(x, out):
    p = tl.make_block_ptr(x, (10, 16), (16, 1), (0, 0), (4, 16), (1, 0))
    if tl.load(x) > 0:
        p = later(p, 4)
    else:
        p = later(p, 8)
    v = tl.load(p, boundary_check=(0, ), padding_option="zero")
    tl.store(out + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :], v)


@tl.core._aggregate
class Mutable:
    value: tl.tensor

    def __init__(self, value):
        self.value = value


# sig: *fp32, *fp32
# since: never
@triton.jit
def aggregate_assigned(x, out):
    i = tl.arange(0, 16)
    m = Mutable(tl.load(x + i))
    m.value = m.value + 1.0
    tl.store(out + i, m.value)


@getattr(triton, "aggregate", tl.core._aggregate)
class Named:
    value: tl.tensor

    def __init__(self, value):
        self.value = value


# sig: *fp32, *fp32
# since: 3.8
@triton.jit
def aggregate_replaced(x, out):
    i = tl.arange(0, 16)
    m = Named(tl.load(x + i))
    tl.store(out + i, tl.aggregate_replace(m, value=m.value + 1.0).value + m.value)


FACTOR = tl.constexpr(5)


def make_nonlocal():
    FACTOR = tl.constexpr(3)

    # sig: *fp32, *fp32
    @triton.jit
    def nonlocal_factor(x, out):
        i = tl.arange(0, 16)
        tl.store(out + i, tl.load(x + i) * FACTOR)

    return nonlocal_factor


nonlocal_factor = make_nonlocal()
