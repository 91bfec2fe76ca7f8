package ir

import "strconv"

// Loc says where an operation came from. A Loc is also an attribute, as in MLIR.
type Loc interface {
	Attr
	isLoc()
}

// UnknownLoc is `loc(unknown)`.
type UnknownLoc struct{ _ byte }

// FileLoc is `loc("file":line:col)`, or with an end `loc("file":l:c to l:c)`. Lines count from 1 and columns as Triton
// counts them.
type FileLoc struct {
	File             string
	Line, Col        int
	EndLine, EndCol  int
	HasEnd, HasLines bool // HasLines is false for loc("file") alone, which MLIR reads as a name
}

// NameLoc is `loc("name"(child))`.
type NameLoc struct {
	Name  string
	Child Loc // Unknown when the text has none
}

// CallSiteLoc is `loc(callsite(callee at caller))`.
type CallSiteLoc struct{ Callee, Caller Loc }

// FusedLoc is `loc(fused<meta>[a, b])`.
type FusedLoc struct {
	Locs []Loc
	Meta Attr // nil for none
}

func (*UnknownLoc) isLoc()  {}
func (*FileLoc) isLoc()     {}
func (*NameLoc) isLoc()     {}
func (*CallSiteLoc) isLoc() {}
func (*FusedLoc) isLoc()    {}

// Unknown is the location of what has none.
var Unknown Loc = &UnknownLoc{}

type callSite struct{ callee, caller Loc }
type namedLoc struct {
	name  string
	child Loc
}

var (
	fileLocs interner[FileLoc, *FileLoc]
	nameLocs interner[namedLoc, *NameLoc]
	callLocs interner[callSite, *CallSiteLoc]
	fuseLocs interner[string, *FusedLoc]
)

// FileLine is `loc("file":line:col)`.
func FileLine(file string, line, col int) *FileLoc {
	return FileRange(FileLoc{File: file, Line: line, Col: col, HasLines: true})
}

// FileRange interns a file location given whole.
func FileRange(l FileLoc) *FileLoc { return fileLocs.get(l, func() *FileLoc { return &l }) }

// Named is `loc("name"(child))`.
func Named(name string, child Loc) *NameLoc {
	return nameLocs.get(namedLoc{name, child}, func() *NameLoc { return &NameLoc{name, child} })
}

// CallSite is `loc(callsite(callee at caller))`.
func CallSite(callee, caller Loc) *CallSiteLoc {
	return callLocs.get(callSite{callee, caller}, func() *CallSiteLoc { return &CallSiteLoc{callee, caller} })
}

// Fused is `loc(fused[locs...])`.
func Fused(meta Attr, locs ...Loc) *FusedLoc {
	k := ptrKey(meta) + strconv.Itoa(len(locs))
	for _, l := range locs {
		k += ptrKey(l)
	}
	return fuseLocs.get(k, func() *FusedLoc { return &FusedLoc{append([]Loc(nil), locs...), meta} })
}

// FileLocOf is the innermost file location of l: the callee's of a call site, the first of a fusion. Nil if there is none.
func FileLocOf(l Loc) *FileLoc {
	switch l := l.(type) {
	case *FileLoc:
		return l
	case *NameLoc:
		return FileLocOf(l.Child)
	case *CallSiteLoc:
		return FileLocOf(l.Callee)
	case *FusedLoc:
		for _, c := range l.Locs {
			if f := FileLocOf(c); f != nil {
				return f
			}
		}
	}
	return nil
}
