class A:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return isinstance(o, A) and self.x == o.x
    def __hash__(self): return hash(self.x)
    def __lt__(self, o): return self.x < o.x
    def __add__(self, o): return A(self.x + (o.x if isinstance(o, A) else o))
    def __radd__(self, o): return A(o + self.x)
    def __mul__(self, k): return A(self.x * k)
    def __neg__(self): return A(-self.x)
    def __repr__(self): return f"A{self.x}"
    def __bool__(self): return self.x != 0
    def __len__(self): return 3
    def __getitem__(self, i): return i * 2
    def __contains__(self, i): return i == self.x
    def __call__(self, *a, **k): return a, k
    def __iter__(self): return iter([self.x] * 2)
    def __int__(self): return self.x
    def __float__(self): return float(self.x)
    def __index__(self): return self.x
    def __abs__(self): return abs(self.x)
    def __str__(self): return "str"
    def __format__(self, spec): return f"<{spec}>"
    def __iadd__(self, o): self.x += o; return self
a = A(2)
b = a
b += 5
r = (A(1) == A(1), A(1) != A(2), {A(1): 2}[A(1)], sorted([A(3), A(1)]), A(1) + A(2), A(1) + 2, 5 + A(1), A(2) * 3, -A(1), bool(A(0)), len(a), a[4], a[1:2], 7 in a,
     a(1, k=2), list(a), int(a), float(a), [10, 20, 30][A(1)], abs(A(-1)), str(a), f"{a:>3}", f"{a}", "%s" % a, a, max(A(1), A(2)), hex(A(10)), range(A(3)), round(1.5))
# ---
class A: pass
a = A()
a.x = 1
r = a.x, hasattr(a, "y"), vars(a), a.__dict__, getattr(a, "x"), type(a).__name__, A.__name__
# ---
class A: pass
A().nope
# ---
class A: pass
A.nope
# ---
class A: pass
A(1)
# ---
class A:
    def __init__(self, x): pass
A()
# ---
class A:
    def f(self): pass
A().f(1)
# ---
class A:
    def f(self): pass
A.f()
# ---
class Base:
    def who(self): return "base"
    def call(self): return self.who()
class Mid(Base):
    def who(self): return "mid+" + super().who()
class Top(Mid):
    def who(self): return "top+" + super().who()
r = Top().call(), [c.__name__ for c in Top.__mro__], Mid.who(Top()), issubclass(Top, Base)
# ---
class A:
    def f(self): return "A"
class B(A):
    def f(self): return "B" + super().f()
class C(A):
    def f(self): return "C" + super().f()
class D(B, C):
    def f(self): return "D" + super().f()
r = D().f(), [k.__name__ for k in D.mro()]
# ---
class A: pass
class B(A): pass
class C(A, B): pass
# ---
class A:
    @staticmethod
    def s(x): return x + 1
    @classmethod
    def c(cls, x): return cls.__name__, x
    @property
    def p(self): return self._p * 2
    @p.setter
    def p(self, v): self._p = v
class B(A): pass
b = B()
b.p = 4
r = A.s(1), b.s(2), A.c(1), B.c(2), b.c(3), b.p
# ---
class A:
    @property
    def p(self): return 1
A().p = 2
# ---
class A:
    count = 0
    items = []
    def __init__(self):
        A.count += 1
        self.items.append(A.count)
A(); A()
r = A.count, A.items
# ---
class A:
    def __getattr__(self, n): return "dyn " + n
    real = 1
r = A().foo, A().real
# ---
class A:
    def __setattr__(self, n, v): object.__setattr__(self, n, v * 2)
a = A()
a.x = 4
r = a.x
# ---
class A:
    def __enter__(self): return self
    def __exit__(self, t, v, tb): self.t = t; return t is KeyError
with A() as a:
    raise KeyError(1)
r = a.t
# ---
class A:
    def __enter__(self): return self
    def __exit__(self, t, v, tb): return False
with A() as a:
    raise KeyError(1)
# ---
with 5: pass
# ---
class E(Exception):
    def __init__(self, code, msg="m"):
        super().__init__(msg)
        self.code = code
try:
    raise E(5)
except E as e:
    r = e.code, str(e), repr(e), e.args, isinstance(e, Exception)
# ---
class E(ValueError): pass
raise E("bad")
# ---
try:
    try:
        raise KeyError("a")
    except KeyError as e:
        raise ValueError("b") from e
except ValueError as e:
    r = repr(e.__cause__), str(e)
# ---
def f():
    try:
        return 1
    finally:
        log.append("f")
def g():
    for i in range(3):
        try:
            continue
        finally:
            log.append(i)
def h():
    try:
        raise ValueError
    except ValueError:
        return "caught"
    else:
        return "else"
    finally:
        log.append("h")
def k():
    try:
        return 1
    finally:
        return 2
log = []
r = f(), g(), h(), k(), log
# ---
try:
    raise TypeError("a")
except (ValueError, TypeError) as e:
    r = type(e).__name__
# ---
try:
    try:
        1 / 0
    except KeyError:
        pass
except ZeroDivisionError:
    r = "outer"
# ---
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise
except Exception as e:
    r = str(e)
# ---
try:
    pass
except ValueError: pass
else: r = "else"
# ---
try:
    {}["x"]
except KeyError as e:
    r = str(e), e.args
e
# ---
try:
    raise ValueError
except 5:
    pass
# ---
raise
# ---
from dataclasses import dataclass, field, replace, asdict, astuple, fields
@dataclass
class P:
    x: int
    y: float = 2.0
    tags: list = field(default_factory=list, repr=False)
    z: int = field(default=3, compare=False)
@dataclass(frozen=True, order=True)
class F:
    a: int
    b: str = "q"
@dataclass
class Q(P):
    w: int = 7
    def __post_init__(self): self.sum = self.x + self.w
p = P(1)
r = (p, P(1, z=9) == p, P(2) != p, replace(p, x=5), asdict(p), astuple(F(1)), F(1) < F(2), {F(1): 2}[F(1)], Q(1), Q(1, w=2).sum, [f.name for f in fields(P)], sorted([F(2), F(1)]))
# ---
from dataclasses import dataclass
@dataclass(frozen=True)
class F: a: int
F(1).a = 2
# ---
from dataclasses import dataclass
@dataclass
class F: a: int
F()
# ---
from dataclasses import dataclass
@dataclass
class F: a: list = []
# ---
from dataclasses import dataclass
@dataclass
class F:
    a: int = 1
    b: int
# ---
from dataclasses import dataclass
@dataclass
class F: a: int
hash(F(1))
# ---
from enum import Enum, IntEnum, Flag, auto
class Color(Enum):
    RED = 1
    GREEN = auto()
    ALIAS = 1
    def describe(self): return self.name.lower()
    @classmethod
    def default(cls): return cls.GREEN
class N(IntEnum):
    A = 1
    B = 2
class S(str, Enum):
    X = "x"
    Y = "y"
r = (Color.RED, Color.ALIAS is Color.RED, Color.GREEN.value, Color("RED" and 1), Color["GREEN"], [c.name for c in Color], Color.RED.describe(), Color.default(), Color.RED == 1,
     N.A == 1, N.A < N.B, N.B + 1, sorted([N.B, N.A]), S.X == "x", S.X.value, S("y"), isinstance(N.A, int), len(Color), Color.RED in Color, {Color.RED: 1}[Color.RED], f"{N.A}", str(Color.RED), repr(S.X), hash(N.A) == hash(1))
# ---
from enum import Enum
class C(Enum): A = 1
C(5)
# ---
from enum import Enum
class C(Enum): A = 1
C["Z"]
# ---
from enum import Enum
class C(Enum): A = 1
C.Z
# ---
from collections import namedtuple
from typing import NamedTuple
P = namedtuple("P", ["x", "y"])
class T(NamedTuple):
    a: int
    b: str = "d"
    def both(self): return self.a, self.b
class Q(P):
    def norm(self): return self.x + self.y
t = T(1)
r = t, t.both(), t.b, T._fields, Q(1, 2).norm(), Q(1, 2), P(1, 2) == (1, 2), P(x=1, y=2)[0], list(P(1, 2)), isinstance(t, tuple), isinstance(Q(1, 2), P), P._make([3, 4]), T.__name__, len(t), t + (3,), hash(P(1, 2)) == hash((1, 2))
# ---
from collections import namedtuple
P = namedtuple("P", "x y")
P(1)
# ---
from collections import namedtuple
P = namedtuple("P", "x y")
P(1, 2).z
# ---
from collections import namedtuple
P = namedtuple("P", "x y")
P(1, 2).x = 5
# ---
class L(list):
    def total(self): return sum(self)
l = L([1, 2])
l.append(3)
r = l, l.total(), len(l), l[0], isinstance(l, list), l + [4], list(l), l == [1, 2, 3], [x for x in l]
# ---
class D(dict):
    def __missing__(self, k): return k * 2
    def __getattr__(self, k): return self[k]
d = D(a=1)
d["b"] = 2
r = d, d["zz"], d.a, d.get("q"), len(d), sorted(d), "a" in d, {**d}
# ---
class I(int):
    def __add__(self, o): return I(int(self) + o + 100)
    @property
    def double(self): return self * 2
i = I(5)
r = i, i + 1, i - 1, i.double, isinstance(i, int), i == 5, hash(i), [1, 2, 3, 4, 5, 6][i], f"{i:03d}", -i
# ---
class S(str):
    def shout(self): return self.upper() + "!"
s = S("abc")
r = s, s.shout(), s + "d", s == "abc", len(s), {s: 1}["abc"], s[1:], s.split("b"), f"{s:>5}", "x".join([s, s])
# ---
class T(tuple):
    def __new__(cls, a, b): return super().__new__(cls, (a, b))
t = T(1, 2)
r = t, t[0], len(t), t == (1, 2), isinstance(t, tuple)
# ---
class Single:
    _inst = None
    def __new__(cls, *a):
        if cls._inst is None: cls._inst = super().__new__(cls)
        return cls._inst
    def __init__(self, v): self.v = v
r = Single(1) is Single(2), Single(3).v
# ---
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): ...
class B(A):
    def f(self): return 1
r = B().f()
A()
# ---
class Desc:
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner): return self if obj is None else obj.__dict__.get(self.name, "unset")
    def __set__(self, obj, v): obj.__dict__[self.name] = v + 1
class A: x = Desc()
a = A()
before = a.x
a.x = 5
r = before, a.x
# ---
class Meta(type):
    def __call__(cls, *a): return ("made", cls.__name__, a)
class A(metaclass=Meta): pass
r = A(1)
# ---
class Reg:
    subs = []
    def __init_subclass__(cls, **k): Reg.subs.append((cls.__name__, k)); super().__init_subclass__()
class A(Reg, tag=1): pass
r = Reg.subs
# ---
class V:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return NotImplemented
    def __add__(self, o): return NotImplemented
r = V(1) == V(1)
V(1) + 1
# ---
class A:
    def __eq__(self, o): return True
{A(): 1}
# ---
class It:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        return self.n
r = list(It()), sum(It()), [*It()], 2 in It(), tuple(It())
# ---
class G:
    def __getitem__(self, i):
        if i >= 3: raise IndexError
        return i * i
r = list(G()), 4 in G()
# ---
class A:
    def __lt__(self, o): return True
A() > 1
r = A() < 1
A() <= 1
# ---
from functools import total_ordering, cached_property
@total_ordering
class V:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return self.x == o.x
    def __lt__(self, o): return self.x < o.x
    @cached_property
    def c(self): log.append(1); return self.x * 2
log = []
v = V(1)
r = V(1) <= V(2), V(2) > V(1), V(1) >= V(1), v.c, v.c, log
# ---
class A:
    class B:
        x = 1
        def f(self): return self.x
    y = B.x + 1
r = A.B().f(), A.y, A.B.__name__
# ---
def make(n):
    class K:
        v = n
        def get(self): return n + self.v
    return K
r = make(2)().get(), make(5).v
# ---
class A:
    x: int
    y: int = 3
r = A.y, hasattr(A, "x")
# ---
r = type("Dyn", (object,), {"x": 1, "f": lambda self: self.x})().f()
# ---
class A:
    __slots__ = ("x",)
    def __init__(self): self.x = 1
r = A().x
# ---
class A:
    def m(self): return 1
a = A()
f = a.m
r = f(), f.__self__ is a, A.m(a), f == a.m, f.__name__
# ---
class A:
    def __repr__(self): return "A!"
r = [A()], (A(),), {"k": A()}, f"{A()!r}", "%r" % A(), str(A())
# ---
l = [1]
l.append(l)
d = {}
d["d"] = d
r = repr(l), repr(d)
# ---
class Point:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
def f(v):
    match v:
        case 0 | 1: return "small"
        case int(n) if n > 100: return "big", n
        case Point(0, y=yy): return "p0", yy
        case Point(x, y): return "p", x, y
        case [1, *rest]: return "list", rest
        case {"k": k, **rest}: return "dict", k, rest
        case str() as s: return "str", s
        case None: return "none"
        case (a, b): return "pair", a, b
        case _: return "other"
r = [f(v) for v in (0, 1, 500, Point(0, 2), Point(1, 2), [1, 2, 3], {"k": 1, "z": 2}, "s", None, (5, 6), 2.5, [])]
# ---
from contextlib import contextmanager, suppress, nullcontext
@contextmanager
def cm(x):
    log.append("in")
    try:
        yield x
    finally:
        log.append("out")
log = []
with cm(5) as v, nullcontext(3) as w:
    log.append((v, w))
with suppress(KeyError):
    {}["x"]
r = log
# ---
from collections import deque, Counter, OrderedDict, defaultdict
q = deque([1, 2], maxlen=3)
q.append(3); q.append(4); q.appendleft(0)
d = defaultdict(int)
for c in "hello": d[c] += 1
o = OrderedDict([("a", 1), ("b", 2)])
o.move_to_end("a")
r = q, q.popleft(), len(q), dict(d), list(o), Counter("aab")["a"], Counter("ab")["z"], Counter("aab").most_common(1)
# ---
import re
m = re.match(r"(\w+)-(?P<n>\d+)", "abc-12 x")
r = m.group(0), m.group(1), m["n"], m.groups(), m.span(), re.sub(r"\d", "#", "a1b2"), re.findall(r"\d+", "1 22 3"), re.split(r",\s*", "a, b,c"), re.search("z", "abc"), re.fullmatch("a+", "aaa") is not None, re.sub(r"(\w)(\d)", r"\2\1", "a1b2"), bool(re.match("b", "ab")), re.compile("a.c", re.I).search("xABC").group()
# ---
import string, math, sys, os
r = string.digits, math.pi, math.floor(-1.5), math.gcd(12, 18), math.isclose(0.1 + 0.2, 0.3), sys.version_info[:2], sys.version_info >= (3, 8), sys.maxsize, os.path.join("a", "b"), os.path.basename("/x/y.py"), os.path.splitext("a.b.c"), os.environ.get("NOPE_X", "d"), os.path.dirname("/a/b/c")
# ---
from typing import Optional, List, Dict, Union, Any, Callable, TypeVar, Generic, cast, TYPE_CHECKING, Literal, Tuple
T = TypeVar("T")
class Box(Generic[T]):
    def __init__(self, x: T) -> None: self.x = x
def f(a: Optional[int] = None, *b: List[str], **c: Dict[str, Any]) -> Union[int, Callable[[int], str]]: return a
r = f(), Box(3).x, Box[int](4).x, cast(int, "x"), TYPE_CHECKING
# ---
from enum import Flag, IntFlag, auto
class F(Flag):
    A = auto()
    B = auto()
    C = auto()
class G(IntFlag):
    X = 1
    Y = 2
r = F.A | F.B, F.C.value, (F.A | F.B) & F.B, F.A in (F.A | F.C), bool(F.A & F.B), (F.A ^ F.A).value, G.X | G.Y, G.X + 5, [f for f in F], F(3)
# ---
from functools import partial
class A:
    def __init__(self): self.log = []
    def __getattr__(self, n):
        if n.startswith("on_"): return partial(self._emit, n[3:])
        raise AttributeError(n)
    def _emit(self, kind, *a): self.log.append((kind, a)); return len(self.log)
a = A()
r = a.on_x(1), a.on_y(), a.log, hasattr(a, "on_z"), hasattr(a, "zz"), getattr(a, "zz", 7)
# ---
class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
    def all_kwargs(self): return {**self.kwargs, **{k: v for k, v in (("num_warps", self.num_warps), ("num_stages", self.num_stages)) if v is not None}}
    def __str__(self): return ", ".join(f"{k}: {v}" for k, v in self.kwargs.items()) + f", num_warps: {self.num_warps}"
configs = [Config({"BLOCK_M": BM, "BLOCK_N": BN}, num_stages=s, num_warps=w) for BM in [64, 128] for BN in [32, 64] for s in ([1] if BM > 64 else [3, 4, 7]) for w in [4, 8]]
def keep(conf): return not (conf.kwargs["BLOCK_M"] * conf.kwargs["BLOCK_N"] < 128 * 128 and conf.num_warps == 8)
r = len(configs), [str(c) for c in filter(keep, configs)], configs[0].all_kwargs()
# ---
H = {"EVEN_N": lambda args: args["N"] % args["BLOCK"] == 0, "HAS_BIAS": lambda args: args["bias"] is not None, "W": lambda a: min(max(a["N"] // 256, 1), 8)}
r = [{k: f(a) for k, f in H.items()} for a in ({"N": 1024, "BLOCK": 64, "bias": None}, {"N": 100, "BLOCK": 64, "bias": 0})]
# ---
def asm(n, op="add", t="u32"):
    regs = ", ".join("$%d" % i for i in range(n))
    lines = [f"{{ .reg .{t} t<{n}>;"] + ["%s.%s t%d, $%d, %#x;" % (op, t, i, i, 1 << i) for i in range(n)]
    return "\n".join(lines) + f" }} // {regs:>20}"
r = asm(3), asm(2, op="mul", t="b16")
# ---
import math
LOG2E = math.log2(math.e)
MAX = {b: 2.0 ** (2 ** (b - 1)) - 1 for b in range(2, 6)}
def next_power_of_2(n):
    n -= 1
    n |= n >> 1; n |= n >> 2; n |= n >> 4; n |= n >> 8; n |= n >> 16; n |= n >> 32
    n += 1
    return n
r = LOG2E, 1 / math.log(2), MAX, [next_power_of_2(i) for i in (1, 3, 17, 1000, 2**31)], -(-100 // 64), (100 + 64 - 1) // 64, math.sqrt(128) ** -1, 1.0 / 128 ** 0.5, int(math.log2(4096)), 1.44269504
