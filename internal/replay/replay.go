// Package replay reads launches of Triton kernels that peer/capture.py has recorded, and compares what
// another device made of them with what Triton's did.
//
// What comes in is a safetensors file: the memory before and after a launch, and a description of the launch.
// What goes out is a Case, whose Compare takes the memory after a launch somewhere else. A damaged file is an
// error, never a panic.
package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/safetensors"
)

// Case is one recorded launch.
type Case struct {
	Path    string // of the file it was read from
	File    string // of the kernel's source: see Source
	Kernel  string
	Grid    [3]int
	Options map[string]any // num_warps, num_stages …: bool, int64, float64 or string
	Args    []Arg          // one for each parameter
	Class   string         // what kind of work the launch is, in the recording program's words; may be empty
	Triton  Timing         // of the recorded launch, where it was timed
	Release string         // of the Triton language, "3.9"; empty: as the file says, or 3.6

	Before map[string][]byte // the bytes of each storage before the launch
	After  map[string][]byte // and after it, for those that it changed

	// TF32 says that dots of fp32 operands ran in tf32, on the recording device or on this one. The file does
	// not say so; whoever knows the kernel's IR sets it.
	TF32 bool
	// ShortSums says that the kernel sums in fp16 or bf16. It, too, is for whoever knows the IR.
	ShortSums bool
	// AnyOrder says that the kernel concatenates tensors and leaves the order of the elements open: changed
	// storages are compared with their elements sorted.
	AnyOrder bool

	// Orders holds the memory, by storage, after the same launch with short sums in other orders. What they
	// differ by is rounding, of which results may have a few times as much.
	Orders []map[string][]byte
}

// Empty reports whether the launch ran no program. In a nereid.Grid, zeros mean something else.
func (c *Case) Empty() bool { return slices.Contains(c.Grid[:], 0) }

// Timing is what the recording program measured of a launch, and the resources that its kernel takes.
type Timing struct {
	Milliseconds float64 `json:"ms"`                 // 0: not timed
	Plain        float64 `json:"plain_ms,omitempty"` // by do_bench as it is; ms is by the better way
	Registers    int     `json:"registers"`
	Spills       int     `json:"spills"` // bytes
	Shared       int     `json:"shared"` // bytes
}

// Kinds of arguments.
const (
	Tensor     = "tensor"
	Int        = "int"
	Float      = "float"
	Bool       = "bool"
	String     = "str"
	None       = "none"
	Dtype      = "dtype"
	Function   = "function"
	Tuple      = "tuple"
	Descriptor = "descriptor"
)

// Arg is the argument of one parameter.
type Arg struct {
	Name      string
	Constexpr bool
	Kind      string

	// Of a tensor or descriptor: which storage, from which byte on, in which shape.
	Storage    string
	Dtype      string
	Offset     int64
	Shape      []int64
	Strides    []int64 // in elements
	BlockShape []int64 // of a descriptor

	Value any    // of a scalar: int64, uint64, float64, bool, string; of a dtype or function its name
	File  string // of a function
	// of a tuple, where Constexpr says which are compiled in; the pointees of a tensor of addresses
	Items []Arg
	NaN   bool // a descriptor fills what lies outside with NaN
}

// maxFile bounds a recording: more than the memory of a GPU.
const maxFile = 256 << 30

// Read reads a recorded launch.
func Read(path string) (*Case, error) {
	data, err := safefile.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads a recorded launch from the bytes of its file. The Case keeps parts of data.
func Parse(path string, data []byte) (*Case, error) {
	c, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.Path = path
	return c, nil
}

// Source is the path of the kernel's file: one that begins with "@/" lies in the folder src beside the case,
// any other below root.
func (c *Case) Source(root string) string { return c.Resolve(root, c.File) }

// Resolve is Source for a file that an argument names.
func (c *Case) Resolve(root, file string) string {
	if rest, ok := strings.CutPrefix(file, "@/"); ok {
		return filepath.Join(filepath.Dir(c.Path), "src", filepath.FromSlash(rest))
	}
	return filepath.Join(root, filepath.FromSlash(file))
}

// Words returns the words that the kernel gets for its arguments, with the storages at these addresses. What
// is compiled in has no word: constexprs and integers that are 1.
func (c *Case) Words(addr map[string]uint64) []uint64 {
	var words []uint64
	for _, a := range c.Args {
		switch v := a.Value.(type) {
		case int64:
			if !a.Constexpr && v != 1 {
				words = append(words, uint64(v))
			}
		case float64:
			words = append(words, uint64(math.Float32bits(float32(v))))
		case nil:
			words = append(words, addr[a.Storage]+uint64(a.Offset))
		}
	}
	return words
}

// Room is how far a launch can run past either end of a storage: torch's allocator cuts small tensors from
// segments of 2 MiB.
const Room = 1 << 20

// Block is memory for a storage. There is room before and behind it, all zeros: kernels that run past the end
// of a tensor and ignore what they find there are common, and on a GPU what lies there is other tensors.
type Block struct {
	All []byte // with the room
	At  int    // where the storage begins in All
	n   int
}

// NewBlock is a block with a copy of a storage: Room bytes around it, or none to catch every access outside.
func NewBlock(storage []byte, room int) *Block {
	b := &Block{All: make([]byte, 2*room+len(storage)), At: room, n: len(storage)}
	copy(b.Storage(), storage)
	return b
}

// Storage is the part of the block that Compare takes.
func (b *Block) Storage() []byte { return b.All[b.At : b.At+b.n] }

// Storages is the storages of blocks, by name.
func Storages(blocks map[string]*Block) map[string][]byte {
	out := make(map[string][]byte, len(blocks))
	for name, b := range blocks {
		out[name] = b.Storage()
	}
	return out
}

// parse reads a case from the safetensors container.
func parse(data []byte) (*Case, error) {
	f, err := safetensors.Parse(data)
	if err != nil {
		return nil, err
	}
	c := &Case{Before: map[string][]byte{}, After: map[string][]byte{}}
	made, err := c.launch(f.Metadata["launch"])
	if err != nil {
		return nil, err
	}
	for _, e := range f.Entries {
		if err := c.section(e.Name, e.Data); err != nil {
			return nil, err
		}
	}
	if err := c.fill(made); err != nil {
		return nil, err
	}
	return c, c.check()
}

// section takes in one storage, "in/s0" or "out/s0".
func (c *Case) section(name string, bytes []byte) error {
	when, storage, _ := strings.Cut(name, "/")
	switch when {
	case "in":
		c.Before[storage] = bytes
	case "out":
		c.After[storage] = bytes
	default:
		return fmt.Errorf("section %q is neither in/… nor out/…", name)
	}
	return nil
}

// launch reads the description of the launch. It returns the sizes of storages that are not in the file.
func (c *Case) launch(text string) (made map[string]int64, err error) {
	if text == "" {
		return nil, errors.New("the file records no launch")
	}
	var l struct {
		File, Kernel string
		Grid         []int
		Options      map[string]any
		Args         []rawArg
		Class        string
		Triton       Timing
		Release      string
		Made         map[string]int64
	}
	d := json.NewDecoder(strings.NewReader(quoteNonFinite(text)))
	d.UseNumber()
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("the launch: %w", err)
	}
	if len(l.Grid) != 3 {
		return nil, fmt.Errorf("a grid of %d dimensions", len(l.Grid))
	}
	if !identifier.MatchString(l.Kernel) {
		return nil, fmt.Errorf("the launch: %.100q is no name of a kernel", l.Kernel)
	}
	if err := local(l.File); err != nil {
		return nil, fmt.Errorf("the launch: the kernel's file %w", err)
	}
	c.File, c.Kernel, c.Grid, c.Options = l.File, l.Kernel, [3]int(l.Grid), l.Options
	c.Class, c.Triton, c.Release = l.Class, l.Triton, l.Release
	for k, v := range c.Options {
		c.Options[k] = number(v)
	}
	c.Args, err = args(l.Args)
	return l.Made, err
}

// identifier is a name of Python's. Files are named for kernels.
var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// local returns an error for a file that does not lie below its root.
func local(file string) error {
	if rest := strings.TrimPrefix(file, "@/"); rest == "" || filepath.IsLocal(filepath.FromSlash(rest)) {
		return nil
	}
	return fmt.Errorf("%.200q does not lie below the root", file)
}

// nonFinite finds strings, which stay, and the numbers that Python writes and JSON does not have.
var nonFinite = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// quoteNonFinite puts such numbers in quotes.
func quoteNonFinite(text string) string {
	return nonFinite.ReplaceAllStringFunc(text, func(token string) string {
		if token[0] == '"' {
			return token
		}
		return `"` + token + `"`
	})
}

// rawArg is an argument as the file has it.
type rawArg struct {
	Name, Kind, Storage, Dtype, File string
	Padding                          string
	Constexpr                        bool
	Offset                           int64
	Shape, Strides                   []int64
	BlockShape                       []int64 `json:"block_shape"`
	Value                            any
	Items                            []rawArg
}

var kinds = []string{Tensor, Int, Float, Bool, String, None, Dtype, Function, Tuple, Descriptor}

func args(raw []rawArg) ([]Arg, error) {
	out := make([]Arg, len(raw))
	for i, r := range raw {
		if !slices.Contains(kinds, r.Kind) {
			return nil, fmt.Errorf("argument %q is of kind %q", r.Name, r.Kind)
		}
		if err := local(r.File); err != nil {
			return nil, fmt.Errorf("argument %q: %w", r.Name, err)
		}
		items, err := args(r.Items)
		if err != nil {
			return nil, err
		}
		out[i] = Arg{Name: r.Name, Constexpr: r.Constexpr, Kind: r.Kind, Storage: r.Storage, Dtype: r.Dtype,
			Offset: r.Offset,
			Shape:  r.Shape, Strides: r.Strides, BlockShape: r.BlockShape, Value: number(r.Value),
			File: r.File, Items: items, NaN: r.Padding == "nan"}
		// torch says that a tensor without elements is at 0, wherever its storage is
		if slices.Contains(r.Shape, 0) {
			out[i].Offset = max(r.Offset, 0)
		}
		if r.Kind != Float {
			continue
		}
		f, err := strconv.ParseFloat(fmt.Sprint(out[i].Value), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, fmt.Errorf("argument %q is the float %v", r.Name, out[i].Value)
		}
		out[i].Value = f
	}
	return out, nil
}

// number turns a JSON number into int64, uint64 or float64.
func number(v any) any {
	n, ok := v.(json.Number)
	if !ok {
		return v
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	var u uint64
	if _, err := fmt.Sscan(n.String(), &u); err == nil && fmt.Sprint(u) == n.String() {
		return u
	}
	f, _ := n.Float64()
	return f
}

// check makes sure that tensors lie in their storages.
func (c *Case) check() error {
	for s, after := range c.After {
		if len(after) != len(c.Before[s]) {
			return fmt.Errorf("storage %q has %d bytes before the launch and %d after", s, len(c.Before[s]),
				len(after))
		}
	}
	var err error
	c.tensors(func(a *Arg) {
		bytes, ok := c.Before[a.Storage]
		switch d := elementOf(a.Dtype); {
		case err != nil:
		case !ok:
			err = fmt.Errorf("argument %q lies in storage %q, which is not in the file", a.Name, a.Storage)
		case d.size == 0:
			err = fmt.Errorf("argument %q is of dtype %q", a.Name, a.Dtype)
		case a.Offset < 0 || a.Offset > int64(len(bytes)):
			err = fmt.Errorf("argument %q begins at byte %d of %d", a.Name, a.Offset, len(bytes))
		}
	})
	return err
}

// tensors calls f for every tensor and descriptor among the arguments.
func (c *Case) tensors(f func(*Arg)) {
	var walk func(list []Arg)
	walk = func(list []Arg) {
		for i := range list {
			a := &list[i]
			if a.Kind == Tensor || a.Kind == Descriptor {
				f(a)
			}
			walk(a.Items)
		}
	}
	walk(c.Args)
}
