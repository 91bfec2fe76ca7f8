package foreign

import (
	"unsafe"

	nereid "github.com/nereid-lang/nereid/run"
)

// Kind is nereid_kind.
type Kind uint8

// The kinds of arguments.
const (
	None Kind = iota
	Bool
	Int
	Float
	Scalar
	Ptr
	Host
	Tensor
	String
	DType
	Func
	Tuple
	Descriptor
)

// Flags of an argument.
const (
	FlagConst = 1 << iota // compiled in although the parameter is no constexpr
	FlagApart             // the caller vouches that the memory overlaps no other argument
)

// Arg is nereid_arg.
type Arg struct {
	Kind  Kind
	DType nereid.DType
	Flags uint16
	Count uint32
	Name  *byte // a C string, or nil
	Value uint64
	Size  uint64 // bytes behind a pointer; 0 means unknown
}

// ArgBytes is the size of an Arg, and DescBytes and OptionsBytes are those of the other structs.
const (
	ArgBytes     = unsafe.Sizeof(Arg{})
	DescBytes    = unsafe.Sizeof(Desc{})
	OptionsBytes = unsafe.Sizeof(Options{})
)

// pointer returns the value as an address.
func (a *Arg) pointer() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a.Value)) }

// text returns the value as a string that shares C's memory, "" for NULL.
func (a *Arg) text() string { return text((*byte)(a.pointer())) }

// items returns the items of a tuple.
func (a *Arg) items() []Arg { return unsafe.Slice((*Arg)(a.pointer()), a.Count) }

// text returns a C string, which it shares.
func text(s *byte) string {
	if s == nil {
		return ""
	}
	n := uintptr(0)
	for *(*byte)(unsafe.Add(unsafe.Pointer(s), n)) != 0 {
		n++
	}
	return unsafe.String(s, n)
}

// Desc is nereid_descriptor.
type Desc struct {
	Base                  Arg
	NDim, NaN             uint32
	Shape, Strides, Block *int64
}

// Options is nereid_options.
type Options struct {
	Size, Flags         uint32
	NumWarps, NumStages int32
	NumCTAs, MaxNReg    int32
	Extra, ExternLibs   *byte
}

// Bits of Options.Flags.
const (
	optDebug = 1 << iota
	optNoDebug
	optNoSanitizeOverflow
	optCooperative
	optPDL
	optNoFPFusion
	optOverlap
	optCheck
	optCertify
	optKnown = 1<<iota - 1
)

// Go returns the options in the form of the API; nil means the defaults.
func (o *Options) Go() nereid.Options {
	if o == nil {
		return nereid.Options{}
	}
	is := func(bit uint32) bool { return o.Flags&bit != 0 }
	return nereid.Options{
		NumWarps: int(o.NumWarps), NumStages: int(o.NumStages), NumCTAs: int(o.NumCTAs),
		MaxNReg: int(o.MaxNReg), Extra: clone(o.Extra), ExternLibs: clone(o.ExternLibs),
		Debug: o.debug(), NoSanitizeOverflow: is(optNoSanitizeOverflow),
		LaunchCooperativeGrid: is(optCooperative), LaunchPDL: is(optPDL), NoFPFusion: is(optNoFPFusion),
		Overlap: is(optOverlap), Check: is(optCheck), Certify: is(optCertify),
	}
}

// debug returns what the flags say of assertions. A caller that sets both bits wants them checked.
func (o *Options) debug() nereid.Debug {
	switch {
	case o.Flags&optDebug != 0:
		return nereid.DebugOn
	case o.Flags&optNoDebug != 0:
		return nereid.DebugOff
	}
	return nereid.DebugDefault
}

// FlagsOf returns the bits of options, for hooks.
func FlagsOf(o nereid.Options) (flags uint32) {
	for i, on := range []bool{o.Debug == nereid.DebugOn, o.Debug == nereid.DebugOff,
		o.NoSanitizeOverflow, o.LaunchCooperativeGrid, o.LaunchPDL, o.NoFPFusion, o.Overlap, o.Check,
		o.Certify} {
		if on {
			flags |= 1 << i
		}
	}
	return flags
}
