x = 1
y = """a
b"""
if a:
    b \
    + c
z = "a\
b"
# c
f"{x}"
