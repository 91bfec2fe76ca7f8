package code

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strconv"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/signature"
)

// LaunchFormat names the form of LaunchInfo.
const LaunchFormat = "nereid launch 1"

// LaunchInfo is everything that a launcher must know about compiled code, for launchers of others: `nereid
// compile --emit json` writes it. docs/LAUNCHERS.md describes the fields.
type LaunchInfo struct {
	Format string `json:"format"`
	Kernel string `json:"kernel"` // name in the source
	Entry  string `json:"entry"`  // symbol in the code
	File   string `json:"file,omitempty"`

	Target    string `json:"target"`
	Machine   string `json:"machine"`   // processors that run the code
	Compiler  string `json:"compiler"`  // build of Nereid
	Generator string `json:"generator"` // LLVM and the like, with their versions
	Stage     string `json:"stage"`     // form of the code: "cubin", "ptx", "obj"
	CodeBytes int    `json:"code_bytes"`
	CodeHash  string `json:"code_sha256"`

	Signature  string            `json:"signature"`
	Parameters []SavedParam      `json:"parameters"` // parameters of the kernel
	Constants  map[string]string `json:"constants"`  // compiled in, as Python literals
	Options    device.Options    `json:"options"`

	Arguments     []LaunchArg `json:"arguments"`      // arguments of a launch, in order
	ArgumentBytes int         `json:"argument_bytes"` // size of the block of arguments

	Warps       int    `json:"warps,omitempty"`
	Block       [3]int `json:"block"`   // threads of a block
	Cluster     [3]int `json:"cluster"` // blocks of a program
	Grid        string `json:"grid"`    // how the programs become the grid of a launch
	Shared      int    `json:"shared"`  // bytes of dynamic shared memory of a block
	Scratch     int64  `json:"scratch"` // bytes of memory that each program has for itself
	Registers   *int   `json:"registers,omitempty"`
	Spills      *int   `json:"spills,omitempty"`
	Cooperative bool   `json:"cooperative"`
	PDL         bool   `json:"programmatic_dependent_launch"`

	Apart []device.Apart  `json:"apart,omitempty"` // arguments whose memory must not overlap
	Meta  json.RawMessage `json:"meta,omitempty"`  // for Nereid itself
}

// LaunchArg is an argument of a launch.
type LaunchArg struct {
	SavedArg
	Kind string `json:"kind"` // "pointer", "scalar", "tensormap", "scratch"
}

// gridRules says how programs become the grid of a launch, by the kind of code.
var gridRules = map[string]string{
	"gpu": "blocks = (programs.x * cluster.x, programs.y, programs.z)",
	"cpu": "entry(args, grid, first, last, scratch, status) runs programs first to last of " +
		"grid[0]*grid[1]*grid[2], x fastest",
}

// LaunchInfo returns the description of compiled code.
func (s *Saved) LaunchInfo(code device.Code) *LaunchInfo {
	f := s.Facts
	sum := sha256.Sum256(code.Data)
	d := &LaunchInfo{
		Format: LaunchFormat, Kernel: s.Kernel, Entry: f.Entry, File: filepath.Base(s.File),
		Target: s.Target, Machine: s.Machine, Compiler: s.Compiler, Generator: s.Generator,
		Stage: code.Stage, CodeBytes: len(code.Data), CodeHash: hex.EncodeToString(sum[:]),
		Signature: s.Signature, Parameters: s.Params, Constants: s.Constants, Options: s.Options,
		Warps: f.Warps, Block: [3]int{f.Threads, 1, 1}, Cluster: [3]int{max(1, f.Cluster), 1, 1},
		Grid: gridRules["gpu"], Shared: f.Shared, Scratch: f.Scratch,
		Cooperative: s.Options.LaunchCooperativeGrid, PDL: s.Options.LaunchPDL,
		Apart: f.Apart, Meta: code.Meta,
	}
	if f.Threads == 0 {
		d.Grid, d.Block = gridRules["cpu"], [3]int{1, 1, 1}
	}
	if f.Registers > 0 {
		d.Registers, d.Spills = &f.Registers, &f.Spills
	}
	d.arguments(s.Args, f)
	return d
}

// arguments describes the arguments, and the address of the scratch memory where code takes it as one.
func (d *LaunchInfo) arguments(list []SavedArg, f device.Facts) {
	for _, a := range list {
		kind := "scalar"
		switch {
		case a.Type == tensorMapType:
			kind = "tensormap"
		case a.Pointer:
			kind = "pointer"
		}
		d.Arguments = append(d.Arguments, LaunchArg{a, kind})
		d.ArgumentBytes = a.Offset + a.Size
	}
	if f.Scratch > 0 && f.Threads > 0 {
		at := (d.ArgumentBytes + 7) / 8 * 8
		d.Arguments = append(d.Arguments, LaunchArg{SavedArg{"scratch", "i8", true, true, at, 8, true}, "scratch"})
		d.ArgumentBytes = at + 8
	}
}

// tensorMapType is the type of an argument that is a descriptor for the hardware.
const tensorMapType = "tensormap"

// Words returns the arguments of launches in the order in which code gets them. A descriptor is one argument
// if the code takes a tensor map, and else its address, sizes, strides and whether padding is NaN; its sizes
// and strides follow once more, for the kernel.
func Words(params []signature.Param, specs []signature.Arg, own []device.Param,
	f device.Facts) (out []device.Param) {
	for i, s := range specs {
		if s.Desc == nil {
			n := countWords(s)
			out, own = append(out, own[:n]...), own[n:]
			continue
		}
		name, rank := params[i].Name, len(s.Desc.Block)
		if len(f.Maps) > 0 && f.Maps[0] == len(out) {
			f.Maps = f.Maps[1:]
			out = append(out, device.Param{Name: name, Type: tensorMapType})
		} else {
			out = append(out, DescriptorArgs(name, signature.CanonicalName(s.Desc.Elem),
				rank)...)
		}
		out = append(out, numbered(name+".shape", "i32", rank)...)
		out = append(out, numbered(name+".stride", "i64", rank)...)
	}
	return out
}

// DescriptorArgs returns the arguments of a descriptor that is passed as words.
func DescriptorArgs(name, elem string, rank int) []device.Param {
	out := []device.Param{{Name: name + ".desc.base", Pointer: true, Type: elem}}
	out = append(out, numbered(name+".desc.shape", "i64", rank)...)
	out = append(out, numbered(name+".desc.stride", "i64", rank)...)
	return append(out, device.Param{Name: name + ".desc.nan", Type: "i1"})
}

// numbered returns n scalars of a type.
func numbered(name, typ string, n int) (out []device.Param) {
	for i := range n {
		out = append(out, device.Param{Name: name + "." + strconv.Itoa(i), Type: typ})
	}
	return out
}

// countWords returns the number of arguments that args.Describe makes of a parameter without descriptors.
func countWords(s signature.Arg) (n int) {
	switch {
	case s.Tuple:
		for _, item := range s.Items {
			n += countWords(item)
		}
		return n
	case s.Typed():
		return 1
	}
	return 0
}
