r = 1 + 2 * 3
# ---
def f(a, b=2, *c, d=4, **e):
    return a, b, c, d, e
r = f(1), f(1, 5, 6, 7, d=8, x=9), f(b=1, a=0)
# ---
r = [x * y for x in range(3) for y in range(x) if x != y]
# ---
class A:
    x = 1
    def __init__(self, v): self.v = v
    def get(self): return self.v + self.x
    def __repr__(self): return f"A({self.v!r})"
class B(A):
    x = 10
    def get(self): return super().get() * 2
r = B(3).get(), A(1), [A("q")], isinstance(B(1), A)
# ---
def gen(n):
    for i in range(n):
        x = yield i
        if x: yield x
g = gen(3)
r = [next(g), g.send("hi"), list(g)]
# ---
try:
    1 // 0
except ZeroDivisionError as e:
    r = str(e)
finally:
    q = 1
# ---
from dataclasses import dataclass, field
@dataclass
class P:
    x: int
    y: list = field(default_factory=list)
r = P(1), P(1) == P(1), P(2, [3]).y
# ---
from enum import Enum, IntEnum, auto
class C(Enum):
    RED = 1
    BLUE = auto()
class I(IntEnum):
    A = 3
r = C.RED, C(2), C["RED"], list(C), I.A + 1, I.A, str(C.RED), C.BLUE.name, C.BLUE.value
# ---
from collections import namedtuple, defaultdict, OrderedDict, Counter
P = namedtuple("P", "a b", defaults=[5])
p = P(1)
d = defaultdict(list)
d["x"].append(1)
r = p, p.a, p._asdict(), p._replace(b=2), P(*p), d, OrderedDict(a=1), Counter("hello").most_common(2)
# ---
r = "%5d|%-5s|%05.2f|%x|%r" % (3, "ab", 3.14159, 255, "q"), f"{3:>5}|{'a':^7}|{1234567:,}|{0.5:%}|{255:#x}|{-3.5:+.2e}"
# ---
r = sorted({3: 1, 1: 2}.items()), {**{"a": 1}, "b": 2}, {1, 2} | {3}, (1, *[2, 3])
# ---
match (1, [2, 3], {"k": "v"}):
    case (a, [b, *c], {"k": d}) if a == 1:
        r = a, b, c, d
# ---
r = (lambda x, y=2: x ** y)(3), 2 ** 100, -7 // 2, -7 % 3, 7 / 2, 1e16, 1e-5, 0.1 + 0.2
# ---
import ast
r = []
for text in ("1", " 1", "1\n", "-1", "+1.5", "--1", "~1", "not 1", "-True", "-'a'", "-None", "1 + 2", "2 * 3", "9 ** 9",
             "None", "True", "...", "'a' 'b'", "b'c'", "(1, [2, {3}], {4: b'5', 'k': ()})", "set()", "[set(), -2]",
             "set(1)", "set(a=1)", "list()", "a", "[a]", "[*[1]]", "{1: 2, **{}}", "{a: 1}", "{1: a}", "f'a'", "1; 2",
             "", "(", "[x for x in ()]", "{1, -2}", "(-1,)", "a.b", "'a'.b", "1 if 1 else 2", "lambda: 1"):
    try:
        r.append(ast.literal_eval(text))
    except (ValueError, SyntaxError) as e:
        r.append(type(e).__name__)
