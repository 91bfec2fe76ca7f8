package lower

import "fmt"

// printf calls vprintf. Arguments lie behind each other in memory, each aligned to its size.
func (nvidia) printf(l *lowering, format string, args []arg) {
	size := 0
	place := make([]int, len(args))
	for i, a := range args {
		n := 8
		if a.typ == "i32" {
			n = 4
		}
		size = align(size, n)
		place[i] = size
		size += n
	}
	buf := l.atEntry(func() string { return l.val("alloca [%d x i8], align 8", max(size, 8)) })
	for i, a := range args {
		l.do("store %s %s, ptr %s", a.typ, a.name, l.val("getelementptr i8, ptr %s, i32 %d", buf, place[i]))
	}
	l.call("i32", "vprintf", "ptr "+l.genericText(format), "ptr "+buf)
}

func (nvidia) assertFail(l *lowering, message, file string, line int, function string) {
	l.call("void", "__assertfail", "ptr "+l.genericText(message), "ptr "+l.genericText(file),
		fmt.Sprintf("i32 %d", line), "ptr "+l.genericText(function), "i64 1")
}

// genericText returns the generic address of a string.
func (l *lowering) genericText(s string) string {
	return l.val("addrspacecast ptr addrspace(1) %s to ptr", l.str(s))
}
