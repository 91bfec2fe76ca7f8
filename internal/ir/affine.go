package ir

import (
	"strconv"
	"strings"
)

// AffineMap is `(d0, d1)[s0] -> (results...)`.
type AffineMap struct {
	NumDims, NumSyms int
	Results          []*AffineExpr
}

// AffineKind is the kind of an affine expression.
type AffineKind uint8

const (
	AffineDim AffineKind = iota
	AffineSym
	AffineConst
	AffineAdd
	AffineMul
	AffineMod
	AffineFloorDiv
	AffineCeilDiv
)

// AffineExpr is a node of an affine expression: N for dimensions, symbols and constants, L and R for
// operators.
type AffineExpr struct {
	Kind AffineKind
	N    int64
	L, R *AffineExpr
}

// IdentityMap returns `(d0, …) -> (d0, …)`.
func IdentityMap(n int) *AffineMap {
	m := &AffineMap{NumDims: n}
	for i := range n {
		m.Results = append(m.Results, &AffineExpr{Kind: AffineDim, N: int64(i)})
	}
	return m
}

// IsIdentity reports whether the map is `(d0, …) -> (d0, …)`.
func (m *AffineMap) IsIdentity() bool {
	if m.NumSyms != 0 || len(m.Results) != m.NumDims {
		return false
	}
	for i, r := range m.Results {
		if r.Kind != AffineDim || r.N != int64(i) {
			return false
		}
	}
	return true
}

func (m *AffineMap) String() string {
	var b strings.Builder
	list := func(open, letter string, n int, close_ string) {
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(letter + strconv.Itoa(i))
		}
		b.WriteString(close_)
	}
	list("(", "d", m.NumDims, ")")
	if m.NumSyms > 0 {
		list("[", "s", m.NumSyms, "]")
	}
	b.WriteString(" -> (")
	for i, r := range m.Results {
		if i > 0 {
			b.WriteString(", ")
		}
		r.write(&b, false)
	}
	b.WriteString(")")
	return b.String()
}

var affineOps = map[AffineKind]string{
	AffineAdd: " + ", AffineMul: " * ", AffineMod: " mod ", AffineFloorDiv: " floordiv ",
	AffineCeilDiv: " ceildiv ",
}

func (e *AffineExpr) write(b *strings.Builder, nested bool) {
	switch e.Kind {
	case AffineDim:
		b.WriteString("d" + strconv.FormatInt(e.N, 10))
	case AffineSym:
		b.WriteString("s" + strconv.FormatInt(e.N, 10))
	case AffineConst:
		b.WriteString(strconv.FormatInt(e.N, 10))
	default:
		e.writeOp(b, nested)
	}
}

// writeOp writes operators as MLIR does: negative terms as differences, -1 times x as -x. nested: the
// operator around binds tighter.
func (e *AffineExpr) writeOp(b *strings.Builder, nested bool) {
	if nested {
		b.WriteString("(")
		defer b.WriteString(")")
	}
	switch {
	case e.Kind == AffineAdd:
		e.L.write(b, false)
		e.R.writeTerm(b)
	case e.Kind == AffineMul && e.R.isConst(-1):
		b.WriteString("-")
		e.L.write(b, true)
	default:
		e.L.write(b, true)
		b.WriteString(affineOps[e.Kind])
		e.R.write(b, true)
	}
}

func (e *AffineExpr) isConst(n int64) bool { return e.Kind == AffineConst && e.N == n }

// writeTerm writes what is added to something, with its sign.
func (e *AffineExpr) writeTerm(b *strings.Builder) {
	switch {
	case e.Kind == AffineConst && e.N < 0:
		b.WriteString(" - " + strconv.FormatInt(-e.N, 10))
	case e.Kind == AffineMul && e.R.isConst(-1):
		b.WriteString(" - ")
		e.L.write(b, e.L.Kind == AffineAdd)
	case e.Kind == AffineMul && e.R.Kind == AffineConst && e.R.N < -1:
		b.WriteString(" - ")
		e.L.write(b, true)
		b.WriteString(" * " + strconv.FormatInt(-e.R.N, 10))
	default:
		b.WriteString(" + ")
		e.write(b, false)
	}
}

// Eval returns the map's value at given dimensions and symbols.
func (m *AffineMap) Eval(dims, syms []int64) []int64 {
	out := make([]int64, len(m.Results))
	for i, r := range m.Results {
		out[i] = r.Eval(dims, syms)
	}
	return out
}

// Eval returns the expression's value.
func (e *AffineExpr) Eval(dims, syms []int64) int64 {
	switch e.Kind {
	case AffineDim:
		return dims[e.N]
	case AffineSym:
		return syms[e.N]
	case AffineConst:
		return e.N
	}
	l, r := e.L.Eval(dims, syms), e.R.Eval(dims, syms)
	switch e.Kind {
	case AffineAdd:
		return l + r
	case AffineMul:
		return l * r
	case AffineMod:
		return l - floorDiv(l, r)*r
	case AffineFloorDiv:
		return floorDiv(l, r)
	}
	return -floorDiv(-l, r)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
