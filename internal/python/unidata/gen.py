# Writes the tables of Unicode that the Python reader needs and Go's standard library does not have:
#
#   nfkc.txt.gz   D c x y …   c decomposes (NFKD) into x y …
#                 O c n       c has combining class n
#                 C x y c     x and y compose to c
#   names.txt.gz  NAME<tab>c  sorted by c; aliases after the names proper; CJK ideographs and Hangul are left out,
#                             since their names follow from a rule
#
# All numbers are hexadecimal. Run with the Python whose unicodedata is wanted; the aliases, which unicodedata knows
# but does not list, are those of the file named on the command line, one to a line.
import gzip, sys, unicodedata as u

def save(name, text):
    with open(name, "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))

def hangul(c): return 0xAC00 <= c <= 0xD7A3

out = []
for c in range(0x110000):
    if 0xD800 <= c <= 0xDFFF or hangul(c):
        continue
    d = u.normalize("NFKD", chr(c))
    if d != chr(c):
        out.append("D %x %s" % (c, " ".join("%x" % ord(x) for x in d)))
    if u.combining(chr(c)):
        out.append("O %x %x" % (c, u.combining(chr(c))))
    pair = u.decomposition(chr(c)).split()
    if len(pair) == 2 and not pair[0].startswith("<"):
        x, y = (chr(int(p, 16)) for p in pair)
        if u.normalize("NFC", x + y) == chr(c):
            out.append("C %x %x %x" % (ord(x), ord(y), c))
save("nfkc.txt.gz", "\n".join(out) + "\n")

names = []
for c in range(0x110000):
    n = u.name(chr(c), "")
    if n and not n.startswith(("CJK UNIFIED IDEOGRAPH-", "HANGUL SYLLABLE ")):
        names.append("%s\t%x" % (n, c))
for alias in open(sys.argv[1]):
    alias = alias.strip()
    c = u.lookup(alias)
    if len(c) == 1 and u.name(c, "") != alias:
        names.append("%s\t%x" % (alias, ord(c)))
save("names.txt.gz", "\n".join(names) + "\n")
print(u.unidata_version, len(out), len(names))
