f""
f"a"
f"{a}"
f"a{b}c{d}e"
f"{{a}}"
f"{{{a}}}"
f"{{"
f"}}"
f"{a!r}"
f"{a!s:>10}"
f"{a:>{b}}"
f"{a:{b}.{c}f}"
f"{a:{b!r:{c}}}"
f"{a:}"
f"{a=}"
f"{a = }"
f"{ a = !r}"
f"{a=:>10}"
f"{a=!s:>{b}}"
f"{a + b = }"
f"{a}" "b" f"{c}"
"a" f"{b}" 'c' "d"
f"" ""
"" f"{a}" ""
f"a" "b"
rf"\d{a}\w"
fr'\n{a}'
Rf"{a}\{b}"
f"\n{a}\t"
f"\{a}"
f"\{{a\}}"
f"\{{\}}"
f"\N{DIGIT ONE}{a}"
f"{a['b']}"
f'{a["b"]:{c["d"]}}'
f"{a,b}"
f"{(a, b)}"
f"{*a, b}"
f"{a if b else c}"
f"{(lambda x: x)(a)}"
f"{(x := a)}"
f"{yield_}"
f"{a != b}"
f"{a == b}"
f"{a >= b}"
f"{a <= b}"
f"{ {a: b}[c] }"
f"{ {a for a in b} }"
f"{a[b:c]}"
f"{a.b().c}"
f"{f(a, b=c)}"
f"{not a}"
f"{-a:+}"
f"{a:%Y-%m-%d}"
f"{a:,}"
f"{a:_^#010x}"
f"""{
    a
}"""
f"""
{a}
  {b:
c}
"""
f'''{a:{b}
}'''
f"{a!r:^{b}.{c}}"
f"é{a}日{b}"
f"{é}"
f"{a}" \
    f"{b}" \
    "c"
(f"{a}"
 "b"
 f"{c:>{d}}")
u"a" f"{b}" "c"
f"{a:\n}"
f"{a}\
{b}"
f"{a #
}"
---
f"{yield}"
---
f"{await a}"
---
x = f"{f"{f"{a}"}"}"
---
f'{a['b']}'
---
f"{'\n'.join(a)}"
---
f"{a!r:{f"{b}"}}"
---
f"{
    a  # comment
    + b
}"
---
f"{a # comment "
}"
---
f'{x = # comment
}'
---
f"{
a = 
}"
---
f"{a:{b:{c:{d}}}}"
---
f"{{}}{a}{{}}"
---
f"{a:{{b}}}"
---
f"{lambda: 1}"
---
f"{a!x}"
---
f"{a! r}"
---
f"{a!r"
---
f"{a b}"
---
f"{*a}"
---
f"{**a}"
---
f"{}"
---
f"{ }"
---
f"{!r}"
---
f"{:x}"
---
f"{=}"
---
f"{a:{}}"
---
f"{a}}"
---
f"}"
---
f"{a"
---
f"{a:b"
---
f"{(a}"
---
f"{a)}"
---
f"{a]}"
---
f'{a'
---
f"{a\}"
---
f"{\a}"
---
f"a
b"
---
f'''a
