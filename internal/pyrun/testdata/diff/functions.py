def f(a, /, b, *, c=3): return a, b, c
r = f(1, 2), f(1, b=2, c=4)
# ---
def f(a, /, b): pass
f(a=1, b=2)
# ---
def f(a, b): pass
f(1)
# ---
def f(a, b, c): pass
f()
# ---
def f(a): pass
f(1, 2)
# ---
def f(a, b=1): pass
f(1, 2, 3)
# ---
def f(): pass
f(1)
# ---
def f(a, *, k): pass
f(1)
# ---
def f(a, *, k, l): pass
f(1, 2, k=3)
# ---
def f(a): pass
f(1, a=2)
# ---
def f(a): pass
f(b=2)
# ---
def f(**k): return k
r = f(a=1, **{"b": 2})
# ---
def f(*a): return a
r = f(*[1, 2], 3, *"ab")
# ---
def f(a, b): return a, b
f(**{"a": 1}, **{"a": 2})
# ---
def make():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    return inc
i = make()
r = [i(), i(), make()()]
# ---
x = 1
def f():
    global x
    x = 5
f()
r = x
# ---
def f():
    return y
y = 3
r = f()
# ---
def f():
    print(x)
    x = 1
f()
# ---
def f():
    def g(): return z
    r = g()
    z = 1
f()
# ---
def f(x=[]):
    x.append(1)
    return x
f(); r = f()
# ---
fs = [lambda: i for i in range(3)]
r = [f() for f in fs]
# ---
fs = [lambda i=i: i for i in range(3)]
r = [f() for f in fs]
# ---
r = (lambda *a, k=1, **kw: (a, k, kw))(1, 2, z=3)
# ---
def deco(tag):
    def wrap(fn):
        def inner(*a, **k): return (tag, fn(*a, **k))
        return inner
    return wrap
@deco("x")
@deco("y")
def f(a): return a
r = f(1)
# ---
def fact(n): return 1 if n < 2 else n * fact(n - 1)
r = fact(30)
# ---
def f(n): return f(n + 1)
try:
    f(0)
except RecursionError as e:
    r = "deep"
# ---
r = [y := 5, y ** 2], y
# ---
def f(xs): return [last := x for x in xs], last
r = f([1, 2, 3])
# ---
r = [(i, j) for i in range(3) if i for j in range(i)]
# ---
x = 10
r = [x for x in range(3)], x
# ---
class A:
    n = 3
    ys = [i for i in range(n)]
r = A.ys
# ---
r = {k: v for k, v in zip("abc", range(3))}, {c for c in "aab"} == {"a", "b"}, sum(x * x for x in range(5))
# ---
def gen():
    try:
        yield 1
        yield 2
    finally:
        log.append("done")
log = []
g = gen()
next(g)
g.close()
r = log, list(g)
# ---
def gen():
    try:
        yield 1
    except ValueError as e:
        yield str(e)
g = gen()
r = next(g), g.throw(ValueError("boo"))
# ---
def inner():
    x = yield 1
    return x
def outer():
    got = yield from inner()
    yield got
g = outer()
r = next(g), g.send(42)
# ---
def outer():
    try:
        yield from [1, 2, 3]
    except ValueError as e:
        yield str(e)
g = outer()
r = next(g), g.throw(ValueError("boo")), list(g)
# ---
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
g = fib()
r = [next(g) for _ in range(10)]
# ---
from itertools import islice, count, takewhile
def naturals():
    n = 0
    while True:
        n += 1
        if n % 2: continue
        yield n
r = list(islice(naturals(), 5)), list(takewhile(lambda x: x < 20, (x * x for x in count())))
# ---
def g():
    with open_thing() as t:
        yield t
class T:
    def __enter__(self): log.append("in"); return "t"
    def __exit__(self, *a): log.append("out")
log = []
open_thing = T
r = list(g()), log
# ---
def g():
    for i in range(3):
        try:
            if i == 1: raise KeyError(i)
            yield i
        except KeyError:
            yield "key"
        else:
            yield "else"
        finally:
            yield "fin"
r = list(g())
# ---
def g():
    yield
    return 5
it = g()
next(it)
try:
    next(it)
except StopIteration as e:
    r = e.value
# ---
g = (x for x in [1, 2])
r = next(g), next(g), next(g, "end")
# ---
it = iter([1])
next(it); next(it)
# ---
r = list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, "", "a"])), list(zip())
# ---
r = any(x > 1 for x in [1, 2]), all([]), max([3, 1], key=lambda x: -x), min("b", "a"), max([], default=0), sum([[1], [2]], [])
# ---
max([])
# ---
sum(["a"])
# ---
r = sorted([3, 1, 2], reverse=True), sorted("bA", key=str.lower), sorted([(1, "b"), (1, "a"), (0, "c")])
# ---
sorted([1, "a"])
# ---
a, *b, c = 1, 2, 3, 4
(d, e), f = (1, 2), 3
r = a, b, c, d, e, f
# ---
a, b = 1, 2, 3
# ---
a, b, c = 1, 2
# ---
a, *b, c = [1]
# ---
a = b = []
a.append(1)
r = b
# ---
for i in range(3):
    if i == 5: break
else:
    r = "else"
# ---
for i in range(3):
    if i == 1: break
else:
    i = 99
r = i
# ---
n = 0
while n < 5:
    n += 1
    if n == 2: continue
    if n == 4: break
else:
    n = -1
r = n
# ---
x = [1, 2, 3]
x += (4,)
x *= 2
y = x
y += [5]
r = x
# ---
t = ([1],)
try:
    t[0] += [2]
except TypeError as e:
    r = t, str(e)
# ---
d = {"a": {"b": 1}}
d["a"]["b"] += 5
d["c"] = d.get("c", 0) + 1
r = d
# ---
r = 1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True, not 1, 1 and 0 or 5, None or "x", [] and 1, 0 or []
# ---
r = 3 if [] else 4, (1, 2) < (1, 3), "a" < "b", [1] == [1.0], {1: 2} == {1.0: 2.0}
# ---
del undefined
# ---
x = 1
del x
x
# ---
def f(x: int, y: "str" = None) -> float: return x
r = f(1), f.__name__, f.__defaults__
# ---
r = (lambda: (yield))().__class__.__name__ if False else 1
# ---
import functools
add = functools.partial(lambda a, b, c=0: (a, b, c), 1, c=3)
r = add(2), add(2, c=4), add.args, add.keywords, functools.reduce(lambda a, b: a * b, [1, 2, 3], 10)
# ---
import functools
calls = []
@functools.lru_cache(maxsize=None)
def f(x):
    calls.append(x)
    return x * 2
r = f(1), f(1), f(2), calls
# ---
import functools
calls = []
@functools.lru_cache(maxsize=None)
def f(*a, **k):
    calls.append((a, sorted(k.items())))
    return len(calls)
r = [f("n", 4), f(n=4), f("n", 4, n=4), f(("n", 4)), f(n=4), f(n=4.0), f(), f(a=1, b=2), f(1, b=2), f("a", 1, "b", 2),
     f("a", 1, b=2)], calls
# ---
import functools
def deco(fn):
    @functools.wraps(fn)
    def inner(*a): return fn(*a)
    return inner
@deco
def named(x):
    "doc"
    return x
r = named.__name__, named.__doc__, named(3)
# ---
import itertools as it
r = (list(it.product("ab", [1, 2])), list(it.chain([1], (2, 3))), list(it.chain.from_iterable([[1], [2]])), list(it.combinations("abc", 2)),
     list(it.permutations([1, 2, 3], 2)), list(it.product([0, 1], repeat=2)), list(it.accumulate([1, 2, 3])), list(it.repeat("x", 2)),
     list(it.starmap(pow, [(2, 3)])), list(it.zip_longest("ab", "c", fillvalue="-")), list(it.islice(range(10), 1, 8, 3)), list(it.pairwise("abc")))
# ---
import itertools as it
r = [(k, list(g)) for k, g in it.groupby("aabc")], list(it.combinations_with_replacement("ab", 2)), list(it.dropwhile(lambda x: x < 2, [1, 2, 1])), list(it.compress("abc", [1, 0, 1]))
# ---
import operator as op
r = op.add(1, 2), op.itemgetter(1)([5, 6]), op.itemgetter(0, 1)([5, 6]), op.attrgetter("real")(3), op.mul(2, 3), op.and_(6, 3), op.lt(1, 2), op.neg(1)
# ---
import copy
a = [[1], {"k": [2]}]
b = copy.deepcopy(a); c = copy.copy(a)
a[0].append(9)
r = a, b, c
# ---
r = [*range(3), *"ab"], {**{"a": 1}, **{"a": 2}}, (*(), 1)
# ---
f"{nope}"
# ---
w = 10
r = f"{3.14159:{w}.{2}f}|{'x':*^{w}}|{w!r}|{w=}|{{}}|{'a' 'b'}"
# ---
r = "{} {1}".format(1, 2)
# ---
r = "{0} {1[k]} {2.real} {a:>5} {{}} {0!r}".format("x", {"k": 2}, 3, a=4), "{:>{w}}".format("a", w=4)
# ---
r = "%s %(a)s" % {"a": 1}
# ---
r = "%(a)s-%(b)03d" % {"a": 1, "b": 2}, "%%" % (), "%*d" % (5, 3), "%-5s|" % "ab", "%c%c" % (65, "b")
# ---
"%d" % "x"
# ---
"%s %s" % (1,)
# ---
"%s" % (1, 2)
# ---
"%q" % 1
# ---
r = int("ff", 16), int("0b11", 0), float("1e3"), str(1e100), repr(1.0), 10 ** 20, 1_000, 0xFF, 0o17, 0b11, 1e3, .5
# ---
print("a", 1, sep="-", end="!\n")
r = None
# ---
assert 1 == 2, "msg"
# ---
assert 0
# ---
r = __name__
# ---
r = type(1), type("a"), type(None), type([]), type(type), int, len([1]), type(lambda: 0).__name__
# ---
r = isinstance(True, int), isinstance(1, (str, int)), issubclass(bool, int), isinstance(1, int | str), isinstance(None, type(None))
# ---
isinstance(1, 1)
# ---
r = getattr(1, "nope", 5), hasattr([], "append"), hasattr(1, "x"), callable(len), callable(1)
# ---
(1).foo
# ---
None.x
# ---
[].push(1)
# ---
len(5)
# ---
5()
# ---
5[0]
# ---
{}["k"]
# ---
[1][5]
# ---
(1,)[2]
# ---
"abc"[9]
# ---
[1]["a"]
# ---
{[]: 1}
# ---
for x in 5: pass
# ---
x = 5
x[0] = 1
# ---
x = (1,)
x[0] = 1
# ---
"a" + 1
# ---
1 + "a"
# ---
[1] + (2,)
# ---
-"a"
# ---
1 < "a"
# ---
{} < {}
# ---
int("x")
# ---
int([])
# ---
float("x")
# ---
"a".join([1])
# ---
list(5)
# ---
dict([1])
# ---
raise ValueError("x", 1)
# ---
raise ValueError
# ---
raise 5
# ---
chr(-1)
# ---
ord("ab")
# ---
range(1, 2, 0)
# ---
r = range(5), range(1, 5), range(0, 10, 3), len(range(0, 10, 3)), 3 in range(5), range(5)[-1], list(range(5, 0, -2)), range(3) == range(0, 3), range(10)[2:8:2]# ---
import queue, threading
q = queue.Queue()
def work(n, step=1):
    for i in range(0, n, step): q.put(i)
t = [threading.Thread(target=work, args=(3,)), threading.Thread(target=work, args=(4,), kwargs={"step": 2})]
for x in t: x.start(); x.join()
r = [q.get() for _ in range(q.qsize())], q.empty()
# ---
import queue
q = queue.LifoQueue()
q.put(1); q.put(2)
r = [q.get(), q.get()]
try:
    q.get_nowait()
except queue.Empty as e:
    r.append("empty")
# ---
import subprocess
try:
    subprocess.run(["no-such-command-here"], capture_output=True, text=True)
except FileNotFoundError as e:
    r = str(e)
