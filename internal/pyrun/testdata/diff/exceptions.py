# an exception is active in its handler only
def f():
    raise
try:
    1 // 0
except ZeroDivisionError:
    pass
try:
    f()
except RuntimeError as e:
    r = str(e)
# ---
def f():
    raise
try:
    try:
        1 // 0
    except ZeroDivisionError:
        f()
except ZeroDivisionError as e:
    r = "again " + str(e)
# ---
r = []
for i in range(3):
    try:
        [][i]
    except IndexError as e:
        r.append(i)
        continue
try:
    raise
except RuntimeError as e:
    r.append(str(e))
# ---
def g():
    try:
        {}["a"]
    except KeyError:
        return 1
def h():
    raise
r = [g()]
try:
    h()
except RuntimeError as e:
    r.append(str(e))
# ---
r = []
try:
    try:
        [][0]
    except IndexError:
        try:
            {}["k"]
        except KeyError:
            pass
        raise
except Exception as e:
    r.append(type(e).__name__)
# ---
r = []
try:
    try:
        [][0]
    except IndexError:
        raise ValueError("second")
except ValueError as e:
    r.append(type(e.__context__).__name__)
try:
    raise TypeError("alone")
except TypeError as e:
    r.append(e.__context__)
# ---
def k():
    try:
        raise KeyError("a")
    except KeyError:
        pass
    try:
        raise ValueError("b")
    except ValueError as e:
        return e.__context__
r = k()
# ---
r = []
try:
    try:
        raise KeyError("a")
    finally:
        r.append("finally")
except KeyError as e:
    r.append(str(e))
else:
    r.append("else")
# ---
def q():
    for i in range(3):
        try:
            if i == 1:
                break
        except ValueError:
            pass
        else:
            yield i
        finally:
            yield 10 + i
r = list(q())
