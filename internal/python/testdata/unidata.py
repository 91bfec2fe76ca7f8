# Prints what Python knows of Unicode, for TestUnidata: names of characters (every 16th, they are many), which may stand
# in names, and normal forms of characters and of short texts.
import itertools, random, unicodedata as u

def hexes(s): return " ".join("%x" % ord(c) for c in s)
def bools(*b): return " ".join("true" if x else "false" for x in b)
def nfkc(s): print("nfkc", hexes(s), hexes(u.normalize("NFKC", s)), sep="\t")

marks = []
for c in range(0x110000):
    if 0xD800 <= c <= 0xDFFF:
        continue
    s = chr(c)
    if u.name(s, "") and c % 16 == 0:
        print("name", "%x" % c, u.name(s), sep="\t")
    if u.category(s) not in ("Cn", "Co"):
        print("id", "%x" % c, bools(s.isidentifier(), ("a" + s).isidentifier()), sep="\t")
    if u.normalize("NFKC", s) != s:
        nfkc(s)
    if u.combining(s):
        marks.append(s)
random.seed(1)
letters = [chr(c) for c in itertools.chain(range(0x41, 0x250), range(0x370, 0x500), range(0x900, 0xe00), range(0x1100, 0x1200), range(0xac00, 0xac80), range(0x3040, 0x3100)) ]
for _ in range(100000):
    nfkc(random.choice(letters) + "".join(random.choices(marks[:200] + letters, k=random.randint(1, 4))))
