import re
m = re.compile(r"(?P<a>\d+)-(?P<b>x)?(é*)").search("ab 12-éé z")
r = (m.group(), m.group(0), m.group(1, "b"), m["a"], m[3], m.groups(), m.groups("-"), m.groupdict(), m.groupdict(7),
     m.start(), m.end(), m.span(), m.span("b"), m.start("a"), m.end(3), m.string, m.re.pattern, repr(m), m.group("1")
     if False else None)
# ---
import re
r = re.match("a", "a").group(1)
# ---
import re
r = re.match("a", "a").group(-1)
# ---
import re
r = re.match("a", "a").group("b")
# ---
import re
r = re.match("a", "a").start("b")
# ---
import re
r = re.sub(r"(a)(b)?", r"[\1\2\g<1>\t\n\\]", "abaca"), re.sub("a", lambda m: m.group().upper(), "banana", 2)
# ---
import re
r = re.sub("(?P<x>a)", r"\g<x>\g<x>", "banana", count=1), re.sub("", "-", "ab")
# ---
import re
r = (re.split("[,;]", "a,b;c"), re.split("([,;])", "a,b;c", maxsplit=1), re.split("(,)|;", "a,b;c"),
     re.findall("(a)|b", "abab"), re.findall("a(b)(c)?", "abcab"), re.findall("b", "abab"),
     [x.span() for x in re.finditer("b", "abab")])
# ---
import re
p = re.compile("a . b  # the letters\n [ #] \\  c", re.X)
r = [bool(p.search(s)) for s in ("axb  c", "axb# c", "a xb c", "axb c", "axb#c")]
# ---
import re
r = [bool(re.search("^b.c$", s, f)) for s in ("b\nc", "a\nb-c\nd", "B-C", "b-c\n")
     for f in (0, re.I, re.M, re.S, re.I | re.M | re.S)]
# ---
import re
r = [bool(re.fullmatch(p, s)) for p in ("a|ab", "a*", "a$") for s in ("a", "ab", "aa", "a\n", "")]
# ---
import re
r = re.escape("a.b*c d-e_f\n#1"), re.compile("x").pattern, repr(re.compile("a'b")), re.compile(re.compile("q")).pattern
# ---
import re
p = re.compile("a(b)")
r = (p.match("ab").group(1), p.match("xab"), p.fullmatch("abc"), p.search("xab").span(), p.findall("abab"),
     p.split("xaby"), p.split("xabyabz", 1), p.sub("c", "abab"), p.sub("c", "abab", 1), len(list(p.finditer("abab"))))
# ---
import re
r = re.compile("a").nothing
# ---
import re
try:
    re.compile("(")
except re.error as e:
    r = type(e).__name__
# ---
import re
r = [bool(re.search(p, s)) for p in (r"a\Z", r"a\$", r"\Aa", r"\bb\b", r"[^\d\s]") for s in ("a", "a\n", "a$", "b a", "1 b")]
# ---
from typing import List, Optional, Union, Any, Callable, Dict, Tuple, Annotated, NamedTuple
r = (Optional[int].__args__[0], Union[int, str].__args__, List[int].__origin__, List[int].__args__,
     Dict[str, int].__args__, Annotated[int, "x"].__origin__ if False else None)
# ---
from collections.abc import (Iterable, Sequence, Mapping, MutableMapping, MutableSequence, Collection, Sized, Iterator,
    Hashable, Callable)
class I:
    def __iter__(self): return iter(())
    def __next__(self): raise StopIteration
class L:
    def __len__(self): return 0
kinds = Iterable, Sequence, Mapping, MutableMapping, MutableSequence, Sized, Iterator, Hashable, Callable
values = [], (), "s", b"s", {}, {1}, range(3), iter([]), 3, None, int, len, lambda: 0, I(), L()
r = [[isinstance(v, k) for k in kinds] for v in values]
# ---
from typing import NamedTuple
P = NamedTuple("P", [("x", int), ("y", str)])
p = P(1, "a")
r = p, p.x, p.y, P._fields, p._replace(x=3), p._asdict(), p == (1, "a"), len(p)
# ---
from typing import NamedTuple
class P(NamedTuple):
    x: int
    y: int = 4
    def total(self): return self.x + self.y
r = P(1), P(1, 2).total(), P(y=1, x=2), P._fields, P._field_defaults
# ---
from typing import NamedTuple
class P(NamedTuple):
    x: int
    y: int = 4
r = P()
# ---
from collections import namedtuple
P = namedtuple("P", "x y z", defaults=(8, 9))
r = P(1), P(1, 2), P(1, 2, 3), P._make([4, 5, 6]), P._field_defaults, P(1)._replace(y=0), hash(P(1)) == hash((1, 8, 9))
# ---
from collections import namedtuple
r = namedtuple("P", ["x", "y"])(1, 2)._replace(q=3)
# ---
import sys
r = "sys" in sys.modules, "nothing_at_all" in sys.modules, sys.modules.get("nothing_at_all"), sys.modules.get("x", 4), 3 in sys.modules
# ---
import sys
r = sys.modules["nothing_at_all"]
# ---
import sys
try:
    1 / 0
except ZeroDivisionError:
    t, v, _ = sys.exc_info()
r = t, v, sys.exc_info()
# ---
import string
r = (string.ascii_lowercase, string.ascii_uppercase, string.ascii_letters, string.digits, string.hexdigits,
     string.octdigits, string.punctuation, sorted(string.whitespace))
# ---
import logging
l = logging.getLogger("a")
r = (l.name, l.getEffectiveLevel(), l.propagate, l.handlers, l.isEnabledFor(10), l.debug("x"), logging.DEBUG, logging.INFO,
     logging.WARNING, logging.ERROR, logging.CRITICAL)
# ---
import threading
k = threading.Lock()
with k as x:
    pass
r = x, k.acquire(), k.release(), k.locked()
# ---
import functools
@functools.lru_cache(maxsize=None)
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
@functools.cache
def g(n): return n + 1
r = f(30), g(2), g(2), f.__name__, f.__wrapped__(3), functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), functools.reduce(max, [], 3)
# ---
import functools
r = functools.reduce(max, [])
# ---
import functools
p = functools.partial(lambda *a, **k: (a, sorted(k.items())), 1, x=2)
q = functools.partial(p, 3, x=4, y=5)
r = p(), p(5, y=6), q(), q(7), p.args, p.keywords, q.args, q.keywords
# ---
import functools
@functools.total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
r = [(V(a) < V(b), V(a) <= V(b), V(a) > V(b), V(a) >= V(b), V(a) == V(b), V(a) != V(b)) for a in (1, 2) for b in (1, 2)]
# ---
import functools
@functools.total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __ge__(self, o): return self.n >= o.n
r = [(V(a) < V(b), V(a) <= V(b), V(a) > V(b), V(a) >= V(b)) for a in (1, 2) for b in (1, 2)]
# ---
import functools
@functools.total_ordering
class V:
    pass
# ---
import functools
class C:
    n = 0
    @functools.cached_property
    def p(self):
        C.n += 1
        return C.n
c = C()
r = c.p, c.p, C().p, c.p, "p" in c.__dict__
# ---
import functools
def deco(f):
    @functools.wraps(f)
    def w(*a): return f(*a) * 2
    return w
@deco
def g(x):
    "doc of g"
    return x
r = g(3), g.__name__, g.__doc__, g.__wrapped__(3), sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a))
# ---
from collections import OrderedDict, defaultdict, Counter, deque, ChainMap
d = defaultdict(list, {1: [2]})
d[3].append(4)
o = OrderedDict([(1, 2), (3, 4), (5, 6)])
o.move_to_end(1)
o.move_to_end(5, last=False)
r = dict(d), d.default_factory, list(o), o.popitem(), o.popitem(last=False), list(o)
# ---
from collections import defaultdict
r = defaultdict(None)[1]
# ---
from collections import defaultdict
r = defaultdict(3)
# ---
from collections import deque
d = deque([1, 2, 3], maxlen=3)
d.append(4)
d.appendleft(0)
e = deque([1, 2, 3])
e.rotate(1)
e.extend([7, 8])
e.extendleft([5, 6])
r = list(d), d.maxlen, list(e), e.pop(), e.popleft(), len(e), 7 in e, e[0], repr(e)
# ---
from collections import deque
r = deque().popleft()
# ---
import math
r = (math.gcd(12, 18, 8), math.lcm(4, 6), math.comb(5, 2), math.perm(5, 2), math.perm(4), math.factorial(6), math.isqrt(17),
     math.prod([1, 2, 3], start=2), math.dist([0, 0], [3, 4]), math.hypot(3, 4, 12), math.fsum([0.1] * 10), math.copysign(2, -0.0),
     math.frexp(10.0), math.ldexp(0.5, 4), math.modf(-2.5), math.trunc(-2.7), math.remainder(7, 4), math.fmod(-7, 4),
     math.nextafter(1.0, 2.0), math.ulp(1.0), math.isclose(1, 1 + 1e-10), math.isclose(0, 1e-12, abs_tol=1e-9))
# ---
import math
r = math.factorial(-1)
# ---
import math
r = math.factorial(2.5)
# ---
import math
r = math.comb(-1, 2)
# ---
import math
r = math.perm(3, -2)
# ---
import math
r = math.isqrt(-1)
# ---
import math
r = math.gcd(2.0, 4)
# ---
import math
r = math.log(0)
# ---
import math
r = math.sqrt(-1)
# ---
import math
r = math.dist([1], [1, 2])
# ---
import math
r = math.log(8, 2), math.log2(1 << 70), math.log10(10 ** 30), math.floor(-2.5), math.ceil(-2.5), math.floor(3), math.ceil(10 ** 30)
# ---
import math
r = math.log(8, 1)
# ---
import math
r = math.floor("a")
# ---
import math
r = math.ceil(float("inf"))
# ---
import math
r = math.floor(float("nan"))
# ---
import math
r = math.isclose(1, 2, rel_tol=-1)
# ---
import itertools as it
r = (list(it.accumulate([1, 2, 3])), list(it.accumulate([1, 2, 3], lambda a, b: a * b, initial=4)), list(it.accumulate([])),
     list(it.batched([1, 2, 3], 2)) if hasattr(it, "batched") else None, list(it.pairwise([1, 2, 3])),
     list(it.islice(range(10), 2, 8, 3)), list(it.islice(range(10), 4)), list(it.islice(range(10), 4, None)),
     list(it.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.dropwhile(lambda x: x < 3, [1, 2, 3, 1])),
     list(it.filterfalse(lambda x: x % 2, range(5))), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.compress("abc", [1, 0, 1])),
     list(it.zip_longest("ab", "c", fillvalue=0)), list(it.chain.from_iterable([[1], [2, 3]])), list(it.repeat(1, 2)),
     [(k, list(g)) for k, g in it.groupby("aabc")], list(it.islice(it.count(3, 2), 3)), list(it.islice(it.cycle("ab"), 5)),
     list(it.product("ab", [1, 2])), list(it.product([1, 2], repeat=2)), list(it.permutations([1, 2, 3], 2)),
     list(it.combinations([1, 2, 3], 2)), list(it.combinations_with_replacement([1, 2], 2)), [list(x) for x in it.tee([1, 2])])
# ---
import itertools as it
r = list(it.islice([1], -1))
# ---
import itertools as it
r = list(it.islice([1], 0, 5, 0))
# ---
import itertools as it
r = list(it.combinations([1], -1))
# ---
import itertools as it
r = list(it.permutations([1, 2], -1))
# ---
import itertools as it
r = list(it.permutations([1, 2], 3)), list(it.combinations([1, 2], 3)), list(it.product()), list(it.permutations([])), list(it.combinations([], 0))
# ---
import itertools as it
r = list(it.product([1], repeat=-1))
# ---
import operator as op
r = (op.itemgetter(1)([4, 5]), op.itemgetter(0, 2)("abc"), op.attrgetter("real")(3), op.attrgetter("real", "imag")(3),
     op.attrgetter("real.imag")(5), op.methodcaller("upper")("a"), op.methodcaller("split", ",", maxsplit=1)("a,b,c"),
     op.add(1, 2), op.floordiv(7, 2), op.mod(7, 4), op.neg(3), op.not_(0), op.truth([]), op.is_(None, None), op.contains([1], 1),
     op.getitem([1, 2], 1), op.index(3), op.concat([1], [2]), op.and_(6, 3), op.xor(6, 3), op.lshift(1, 3), op.matmul if False else 0)
# ---
import operator as op
r = op.itemgetter()
# ---
import operator as op
r = op.attrgetter(3)
# ---
import operator as op
r = op.itemgetter(5)([1])
# ---
import dataclasses
from dataclasses import dataclass, field, replace, asdict, astuple, fields, is_dataclass
@dataclass(order=True)
class A:
    x: int
    y: list = field(default_factory=list, compare=False)
    z: int = field(default=3, repr=False)
    w: int = field(init=False, default=9)
    def __post_init__(self): self.w = self.x * 2
a = A(1)
r = (a, a == A(1, [5]), A(1) < A(2), sorted([A(3), A(1)]), replace(a, x=5), asdict(a), astuple(a), [f.name for f in fields(a)],
     is_dataclass(a), is_dataclass(A), is_dataclass(3), a.w, [f.default for f in fields(A)][2], [f.init for f in fields(A)],
     [f.repr for f in fields(A)], [f.compare for f in fields(A)], A.z)
# ---
from dataclasses import dataclass
@dataclass(frozen=True)
class A:
    x: int
r = hash(A(1)) == hash(A(1)), {A(1): 2}[A(1)]
# ---
from dataclasses import dataclass
@dataclass(frozen=True)
class A:
    x: int
A(1).x = 3
# ---
from dataclasses import dataclass
@dataclass
class A:
    x: int
r = {A(1): 2}
# ---
from dataclasses import dataclass
@dataclass
class A:
    x: int = 3
    y: int
# ---
from dataclasses import dataclass
@dataclass
class A:
    x: list = []
# ---
from dataclasses import dataclass
@dataclass
class A:
    x: int
r = A()
# ---
from dataclasses import dataclass
@dataclass
class A:
    x: int
r = A(1, y=2)
# ---
from dataclasses import dataclass
@dataclass
class A:
    x: int
r = A(1) < A(2)
# ---
from dataclasses import dataclass, replace, field
@dataclass
class A:
    x: int = field(init=False, default=1)
r = replace(A(), x=2)
# ---
from dataclasses import replace
r = replace(3, x=2)
# ---
from dataclasses import asdict
r = asdict(3)
# ---
from dataclasses import fields
r = fields(3)
# ---
from dataclasses import dataclass, KW_ONLY, field, InitVar
from typing import ClassVar
@dataclass(kw_only=True)
class A:
    x: int
    c: ClassVar[int] = 4
@dataclass
class B(A):
    y: int = 5
    _: KW_ONLY
    z: int = 6
r = A(x=1), B(7, x=2), B(x=2, z=1), A.c
# ---
from dataclasses import dataclass
@dataclass(eq=False, repr=False, init=False)
class A:
    x: int = 3
r = A().x, A() == A(), hasattr(A, "__init__"), A.__eq__ is object.__eq__
# ---
from dataclasses import dataclass
@dataclass(unsafe_hash=True, slots=True)
class A:
    x: int = 3
r = hash(A()) == hash(A()), A.__match_args__
# ---
from dataclasses import dataclass
@dataclass(order=True, eq=False)
class A:
    x: int = 3
# ---
from dataclasses import dataclass
@dataclass
class A:
    x: list
    y: dict
    z: tuple
from dataclasses import asdict, astuple
a = A([A(1, 2, 3)], {1: A(4, 5, 6)}, (A(7, 8, 9), 1))
r = asdict(a), astuple(a)
# ---
from enum import Enum, IntEnum, Flag, IntFlag, auto
class C(Enum):
    R = 1
    G = auto()
    B = 7
    A = 1
class F(Flag):
    X = auto()
    Y = auto()
    Z = 3
class N(IntEnum):
    P = 3
    Q = 4
r = (C.R, C(7), C["G"], list(C), C.A is C.R, C.G.value, C.B.name, len(C), C.R in C, C.R == 1, N.P == 3, N.P + 1, N.P < N.Q, str(C.R),
     str(N.P), repr(N.P), F.X | F.Y, F.Z, F.X & F.Y, bool(F.X & F.Y), F.X in F.Z, F.Z.value, F.X ^ F.Z, F(3), list(C.__members__),
     hash(C.R) == hash(C.R), isinstance(C.R, C), {C.R: 1}[C.A], f"{C.R}", f"{N.Q}")
# ---
from enum import Enum
class C(Enum):
    R = 1
r = C(2)
# ---
from enum import Enum
class C(Enum):
    R = 1
r = C["Q"]
# ---
from enum import Enum
class C(Enum):
    R = 1
r = C.Q
# ---
from enum import Enum
class C(Enum):
    R = 1
C.R = 2
# ---
from enum import Enum
class C(Enum):
    R = 1
r = C.R < C.R
# ---
from enum import Enum
class C(Enum):
    R = 1
class D(C):
    pass
# ---
from enum import Enum
class C(Enum):
    R = (1, "a")
    S = (2, "b")
    def __init__(self, n, t):
        self.n, self.t = n, t
    @property
    def both(self): return self.t * self.n
    @classmethod
    def last(cls): return list(cls)[-1]
r = C.S.both, C.R.n, C.last(), C((1, "a")), C.S.value
# ---
r = (round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234, -2), round(1250, -2), round(5, 3), round(2.0), round(1e300, 2),
     pow(2, 10), pow(2, -1), pow(3, 4, 5), pow(3, -1, 7), pow(2, 0.5), pow(-2, 3), divmod(7, -3), divmod(-7.5, 2), abs(-3), abs(-2.5), abs(True),
     int("12"), int("-0x1f", 16), int("0b11", 0), int("z", 36), int(" 7\n"), int(2.9), int(-2.9), int("1_000"), float("1e3"), float(" -inf "),
     float("nan") != float("nan"), float("1_0.5"), bin(-5), oct(8), hex(255), hex(-1), chr(97), ord("é"), bool([]), sum([1, 2], 3), sum([0.5, 0.25]),
     min(3, 1, 2), max([1, 3, 2], key=lambda x: -x), min([], default=4), max("a", "b"), complex if False else 0)
# ---
r = pow(2, -1, 4)
# ---
r = pow(2, 3, 0)
# ---
r = pow(0, -1)
# ---
r = pow(2.0, 3, 4)
# ---
r = round("a")
# ---
r = round(2.5, "a")
# ---
r = int("1__0")
# ---
r = int("12", 40)
# ---
r = int("9", 8)
# ---
r = int(12, 8)
# ---
r = int(float("inf"))
# ---
r = int(float("nan"))
# ---
r = int([])
# ---
r = float("x")
# ---
r = float([])
# ---
r = chr(-1)
# ---
r = chr(0x110000)
# ---
r = ord("ab")
# ---
r = ord(3)
# ---
r = bin(1.5)
# ---
r = divmod(1, 0)
# ---
r = divmod(1.0, 0)
# ---
r = abs("a")
# ---
r = sum(["a"])
# ---
r = sum(["a"], "")
# ---
r = min()
# ---
r = max([])
# ---
r = max(1)
# ---
r = min([1, "a"])
# ---
r = max(1, 2, default=3)
# ---
def g():
    try:
        x = yield 1
        yield x
        yield 2
    except ValueError as e:
        yield "caught", str(e)
    finally:
        log.append("end")
log = []
a, b, c = g(), g(), g()
r = next(a), a.send(5), next(a), next(b), b.throw(ValueError("v")), next(c), c.close(), log, next(b, "over")
# ---
def g():
    yield 1
x = g()
r = x.send(3)
# ---
def g():
    yield 1
x = g()
next(x)
r = x.throw(KeyError("k"))
# ---
def g():
    try:
        yield 1
    except GeneratorExit:
        yield 2
x = g()
next(x)
x.close()
# ---
def g():
    yield 1
    return 7
def h():
    v = yield from g()
    yield v
    w = yield from [3, 4]
    yield w
r = list(h())
# ---
def g():
    try:
        yield 1
    except ValueError:
        yield 2
    return 9
def h():
    r = yield from g()
    yield r
x = h()
r = next(x), x.throw(ValueError), next(x)
# ---
def g():
    raise StopIteration
    yield
r = list(g())
# ---
def g():
    yield next(x)
x = g()
r = next(x)
# ---
def f():
    x = (yield 1, 2)
r = next(f()), next((i for i in [])if 0 else iter([5])), list(i * j for i in range(3) if i for j in range(i))

# ---
import re
r = [re.search(p, s) and re.search(p, s).span() for p in ("a$", "(a)$", "a\\s*$", "b|a$", "$") for s in ("a", "a\n", "a\n\n", "b", "")]
# ---
import re
r = (re.sub("a$", "x", "aa\n"), re.findall("(a)$", "a\n"), re.findall("a$", "a\na", re.M), re.split("(b)$", "ab\n"),
     re.match("a$", "a\n").groups(), re.compile("a  b", re.X).pattern)
