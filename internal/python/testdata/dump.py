# Prints what CPython makes of Python files.
#
#   dump.py all [DIR…]   a line of JSON for each .py file of the standard library and of the triton package, if there
#                        is one, or of the folders given: its path, and the SHA-256 of its dump or the error
#   dump.py file PATH    the dump of one file
#
# A dump is ast.dump(tree, include_attributes=True). From 3.13 on that leaves out empty lists, which is switched off.
import ast, hashlib, importlib.util, json, os, sys, sysconfig, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(100000)
options = {"show_empty": True} if sys.version_info >= (3, 13) else {}


def dump(path):
    with open(path, "rb") as f:
        tree = ast.parse(f.read(), path)
    return ast.dump(tree, include_attributes=True, **options)


def roots():
    yield sysconfig.get_paths()["stdlib"]
    spec = importlib.util.find_spec("triton")
    if spec:
        yield from spec.submodule_search_locations


def files():
    for root in sys.argv[2:] or roots():
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(d for d in folders if d not in ("site-packages", "dist-packages", "__pycache__"))
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.join(folder, name)


if sys.argv[1] == "file":
    sys.stdout.buffer.write(dump(sys.argv[2]).encode("utf-8", "surrogatepass"))
    sys.exit()
for path in files():
    result = {"path": path}
    try:
        result["sha"] = hashlib.sha256(dump(path).encode("utf-8", "surrogatepass")).hexdigest()
    except Exception as e:
        result["error"] = "%s: %s" % (type(e).__name__, e)
    print(json.dumps(result), flush=True)
