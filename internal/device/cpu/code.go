package cpu

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/num"
)

// StageObj is the form of the code that the CPU runs: an object file.
const StageObj = "obj"

// Code is a kernel as an object file, with what a launch must know of it.
type Code struct {
	Obj     []byte  `json:"-"`
	Entry   string  // symbol of the native function
	Scratch int64   // bytes of memory that a program has for itself
	Params  int     // words of a launch
	Sites   []Site  // where it may stop, from one on
	Prints  []Print `json:"-"` // what it prints

	Checked bool           `json:",omitempty"` // accesses are checked
	Apart   []device.Apart `json:",omitempty"` // arguments whose memory must not overlap
	Shares  bool           `json:",omitempty"` // see pool.Work.Shares
}

// Site is a place where a kernel may stop.
type Site struct {
	What string   // "load of 4 bytes", "store of 2 bytes", or the message of an assertion
	Kind SiteKind // why it stops
	Op   string   // name of the operation
	Arg  int      // argument whose tensor is accessed, or -1
	Wild bool     `json:",omitempty"` // the pointer was derived from no argument
	Name string   // name of the argument, if known
	Locs []string // position in the source, then the calls that led there
}

// SiteKind says why a kernel stops.
type SiteKind int

// The kinds of sites.
const (
	Assertion SiteKind = iota
	OutOfBounds
)

// Stopped is the code in the status of a kernel that its launch has stopped.
const Stopped = -1

// PrintFunction is the name of the function that kernels call to print: with the fifth word of the grid,
// which identifies the kernel, the number of the print, the address of the elements in row-major order, and
// the program's position.
const PrintFunction = "nereid_print"

// Print describes a call of device_print.
type Print struct {
	Prefix  string
	Elem    PrintElem
	Shape   []int64
	Operand int // index among Of operands
	Of      int
	Hex     bool
	Signed  bool
}

// PrintElem is the type of printed elements; the zero value means that there is no operand.
type PrintElem struct {
	Bits  int         // 1 for a bool
	Float *num.Format // nil for an integer
}

// Restore links an object file.
func (d *Device) Restore(_ context.Context, name string, c device.Code) (device.Executable, error) {
	if c.Stage != StageObj {
		return nil, fmt.Errorf("%s is no object file", c.Stage)
	}
	k, err := Described(c.Meta)
	if err != nil {
		return nil, err
	}
	k.Obj = c.Data
	return d.Load(k, name)
}

// Described returns a compiled kernel, without its object file, from the properties that Keep wrote.
func Described(meta []byte) (*Code, error) {
	c := &Code{}
	if err := json.Unmarshal(meta, c); err != nil {
		return nil, err
	}
	if c.Entry == "" || c.Params < 0 || c.Scratch < 0 {
		return nil, fmt.Errorf("the kernel's description is not complete")
	}
	return c, nil
}

// Facts returns what is known of the code; threads are the pool's.
func (c *Code) Facts() device.Facts {
	return device.Facts{Entry: c.Entry, Scratch: c.Scratch, Apart: c.Apart, Checked: c.Checked}
}

// Keep returns the object file with its properties. Kernels that print are not saved, because the
// descriptions of their prints are not in it.
func (c *Code) Keep(name string) (device.Code, error) {
	if len(c.Prints) > 0 {
		return device.Code{}, fmt.Errorf("%s prints", name)
	}
	meta, err := json.Marshal(c)
	return device.Code{Stage: StageObj, Data: c.Obj, Meta: meta}, err
}

// Code returns the kernel's object file.
func (k *kernel) Code() (device.Code, error) { return k.code.Keep(k.name) }

// Facts returns what is known of the code.
func (k *kernel) Facts() device.Facts { return k.code.Facts() }

// Discard frees the code: no launch of it is under way once nobody holds it.
func (k *kernel) Discard() { k.Close() }
