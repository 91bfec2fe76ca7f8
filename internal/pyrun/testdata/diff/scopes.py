# Functions, lambdas and comprehensions inside of a class do not see its names; the class body does.
x = "module"
class C:
    x = "class"
    here = x
    def f(self): return x
    g = lambda self: x
    listed = [x for _ in range(1)]
    tupled = tuple(x for _ in range(1))
    mapped = {x: i for i in range(1)}
    nested = [[x for _ in range(1)] for _ in range(1)]
    over = [c for c in x]
    def default(self, v=x): return v
r = C.here, C().f(), C().g(), C.listed, C.tupled, C.mapped, C.nested, C.over, C().default()
# ---
x = "module"
def outer():
    x = "function"
    class C:
        x = "class"
        def f(self): return x
        def g(self):
            def h(): return x
            return h()
        class D:
            seen = x
            def f(self): return x
    return C().f(), C().g(), C.D.seen, C.D().f()
r = outer()
# ---
x = "module"
class C:
    x = "class"
    class D:
        y = x
        def f(self): return x
    def changes(self):
        global x
        x = "changed"
    def f(self): return x
before = C().f()
C().changes()
r = before, C().f(), C.x, C.D.y, C.D().f()
# ---
class C:
    only = 1
    def f(self): return only
r = C().f()
# ---
class C:
    only = 1
    bad = [only for _ in range(1)]
r = C.bad
# ---
x = 1
class C:
    x = x + 1
    y = x
    del x
    z = x
r = C.y, C.z, hasattr(C, "x")
# ---
def outer():
    n = 0
    class Counter:
        n = 10
        def up(self):
            nonlocal n
            n += 1
            return n
    c = Counter()
    c.up()
    return c.up(), n, Counter.n
r = outer()
# ---
def outer():
    v = 1
    class C:
        v = v
    return C.v
r = outer()
# ---
v = 100
def outer():
    v = 1
    class C:
        v = v
        w = v
    return C.v, C.w
r = outer()
# ---
def outer():
    v = 1
    class C:
        w = v
        y = [v for _ in range(1)]
        def f(self): return v
    return C.w, C.y, C().f()
r = outer()
# ---
def outer():
    v = 1
    class C:
        if False: v = 2
        x = v
    return C.x
r = outer()
# ---
def outer():
    v = 1
    class C:
        for v in (v,): pass
    return C.v
r = outer()
# ---
def outer():
    v = 1
    class C:
        v: int
        w = v
    return C.w
r = outer()
# ---
def outer():
    v = 1
    class C:
        class D:
            v = v
    return C.D.v
r = outer()
# ---
def outer():
    v = 1
    class C:
        v = 2
        del v
        w = v
    return C.w
r = outer()
# ---
def outer():
    v = 1
    class C:
        nonlocal v
        v = 5
        w = v
    return v, C.w, hasattr(C, "v")
r = outer()
# ---
v = 1
def outer():
    v = 2
    class C:
        global v, made
        w = v
        v = made = 7
        def f(self): return v
    return C.w, v, C().f(), hasattr(C, "v")
r = outer(), v, made
# ---
class C:
    def own(self): return __class__.__name__
    @staticmethod
    def static(): return __class__.__name__
    @classmethod
    def of(cls): return __class__ is cls
    def deep(self):
        def inner(): return (lambda: __class__)()
        return inner() is __class__, [__class__ for _ in range(2)] == [C, C]
    def local(self):
        __class__ = 3
        return __class__
class D(C): pass
r = D().own(), D.static(), C.of(), D.of(), D().deep(), D().local()
# ---
class C:
    def f(self):
        class D:
            o = __class__
            def g(self): return __class__
        return D().g() is D, D.o is C
r = C().f()
# ---
class C:
    x = __class__
# ---
class C:
    x = [__class__ for _ in range(1)]
# ---
class C:
    def f(): return __class__
    x = f()
# ---
def f(): return __class__
r = f()
# ---
# Names that := binds in a lambda are the lambda's own, also in defaults of others and in nested ones.
y, z = "module", "module"
def f():
    g = lambda: (y := 1)
    h = lambda: (lambda: (z := 2))()
    return g(), h(), y, z
r = f(), y, z
# ---
def f():
    g = lambda: (w := 1)
    return g(), w
r = f()
# ---
def f():
    g = [lambda: (v := 1)][0]
    k = lambda a=(u := 3): a
    return g(), k(), u, "v" in locals()
r = f()
# ---
# Names that := binds in the conditions of elifs, which the ifs before them may leave out.
taken = 1
if taken: first = 0
elif (skipped := 5): first = 1
if not taken: second = 0
elif (bound := 6): second = 1
else: second = 2
def value(f):
    try: return f()
    except NameError: return "unbound"
r = value(lambda: skipped), value(lambda: bound), first, second
