# Prints what CPython makes of Python files.
#
#   dump.py all [DIR…]   a line of JSON for each .py file of the standard library and of the triton package, if there
#                        is one, or of the folders given: its path, and the SHA-256 of its dump or the error
#                        with NEREID_DUMP_PART=R/N only file R of each N of the standard library's
#   dump.py file PATH    the dump of one file
#   dump.py chunks PATH… a line of JSON for each chunk of the files, which are split at lines that read ---: the path,
#                        and the dump or the error
#
# A dump is ast.dump(tree, include_attributes=True). From 3.13 on that leaves out empty lists, which is switched off.
import ast, hashlib, importlib.util, json, os, sys, sysconfig, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(100000)
options = {"show_empty": True} if sys.version_info >= (3, 13) else {}


def read(path):
    with open(path, "rb") as f:
        return f.read()


def dump(text):
    return ast.dump(ast.parse(text), include_attributes=True, **options)


def report(path, text, show):
    result = {"path": path}
    try:
        result["dump"] = show(dump(text))
    except Exception as e:
        result["error"] = "%s: %s" % (type(e).__name__, e)
    print(json.dumps(result), flush=True)


def sha(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def roots():
    yield sysconfig.get_paths()["stdlib"]
    spec = importlib.util.find_spec("triton")
    if spec:
        yield from spec.submodule_search_locations


def files():
    rest, part = map(int, os.environ.get("NEREID_DUMP_PART", "0/1").split("/"))
    for at, path in enumerate(all_files()):
        if at % part == rest or os.sep + "triton" + os.sep in path:
            yield path


def all_files():
    for root in sys.argv[2:] or roots():
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(d for d in folders if d not in ("site-packages", "dist-packages", "__pycache__"))
            for name in sorted(names):
                if name.endswith(".py"):
                    yield os.path.join(folder, name)


if sys.argv[1] == "file":
    sys.stdout.buffer.write(dump(read(sys.argv[2])).encode("utf-8", "surrogatepass"))
elif sys.argv[1] == "chunks":
    for path in sys.argv[2:]:
        for chunk in read(path).split(b"\n---\n"):
            report(path, chunk, str)
else:
    for path in files():
        report(path, read(path), sha)
