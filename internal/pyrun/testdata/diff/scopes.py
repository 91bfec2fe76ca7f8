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
