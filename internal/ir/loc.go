package ir

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/intern"
)

// Loc says where an operation came from. A Loc is also an attribute, as in MLIR.
type Loc interface {
	Attr
	isLoc()
}

// UnknownLoc is `loc(unknown)`.
type UnknownLoc struct{ _ byte }

// FileLoc is `loc("file":line:col)`, or with an end `loc("file":l:c to l:c)`. Lines count from 1 and columns
// as Triton counts them.
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

var (
	fileLocs intern.Table[FileLoc, FileLoc]
	nameLocs intern.Table[key, NameLoc]
	callLocs intern.Table[[2]uintptr, CallSiteLoc]
	fuseLocs intern.Table[key, FusedLoc]
)

// FileLine returns `loc("file":line:col)`.
func FileLine(file string, line, col int) *FileLoc {
	return FileRange(FileLoc{File: file, Line: line, Col: col, HasLines: true})
}

// FileRange interns a file location given whole.
func FileRange(l FileLoc) *FileLoc { return fileLocs.Get(l, func() *FileLoc { own := l; return &own }) }

// Named returns `loc("name"(child))`.
func Named(name string, child Loc) *NameLoc {
	return nameLocs.Get(key{a: address(child), text: name}, func() *NameLoc { return &NameLoc{name, child} })
}

// CallSite returns `loc(callsite(callee at caller))`.
func CallSite(callee, caller Loc) *CallSiteLoc {
	return callLocs.Get([2]uintptr{address(callee), address(caller)}, func() *CallSiteLoc {
		return &CallSiteLoc{callee, caller}
	})
}

// Fused returns `loc(fused[locs...])`.
func Fused(meta Attr, locs ...Loc) *FusedLoc {
	return fuseLocs.Get(key{a: address(meta), text: listKey(locs)}, func() *FusedLoc {
		return &FusedLoc{slices.Clone(locs), meta}
	})
}

// FileLocOf returns the innermost file location of l: the callee's of a call site, the first of a fusion. Nil
// if there is none.
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
