package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Buffer is a part of shared memory, bytes [Lo, Hi), that an operation has from the operation From until the
// end of the operation To.
type Buffer struct {
	Op       *ir.Op
	Lo, Hi   int
	From, To *ir.Op
}

// Buffers returns the buffers of a kernel and of the functions that it calls, where Lower places them.
func Buffers(m *ir.Module, kernel string, opts Options) (list []Buffer, err error) {
	fn := m.Lookup(kernel)
	if fn == nil || fn.Def != tt.Func {
		return nil, fmt.Errorf("lower: the module has no kernel %s", kernel)
	}
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(*diag.Refusal)
			if !ok {
				panic(r)
			}
			list, err = nil, u
		}
	}()
	g := newProgram(m, opts)
	order := g.callOrder(fn)
	for _, fn := range order {
		g.place(fn)
	}
	for _, fn := range order {
		list = append(list, g.newLowering(fn).buffers(g.frames[fn].base)...)
	}
	return list, nil
}

// buffers returns the buffers of the function, from byte base on.
func (l *lowering) buffers(base int) (list []Buffer) {
	roots := memRoots(l.fn)
	placed := placeBuffers(l, roots, base).buffers
	ops := map[int]*ir.Op{}
	for op, n := range opNumbers(l.reachable(l.fn.Region(0))) {
		ops[n] = op
	}
	for _, n := range l.needs(roots) {
		at := placed[n.op][n.index]
		list = append(list, Buffer{Op: n.op, Lo: at.lo, Hi: at.hi, From: ops[n.from], To: ops[n.to]})
	}
	return list
}
