package cpu

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/cpu/codegen"
)

const stageObj = "obj"

// kept holds the properties of a compiled kernel that are not in its object file.
type kept struct {
	Entry   string
	Scratch int64
	Params  int
	Sites   []codegen.Site
	Checked bool           `json:",omitempty"`
	Apart   []target.Apart `json:",omitempty"`
	Shares  bool           `json:",omitempty"`
}

// Fingerprint names what native code depends on: the processor and its features, LLVM, and the compiler's
// options. It is "" without LLVM.
func (d *Device) Fingerprint() string {
	h, err := d.host()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %s %s llvm %s check %v lines %v tiles %v vector %d",
		h.target.Triple, h.target.CPU, h.target.Features, h.lib.Version(), d.Check, d.Lines,
		tiles(), d.vector)
}

// Generator names what code compiled without a device depends on.
func (c Compiler) Generator() string {
	lib, err := c.library()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s llvm %s check %v lines %v", c.Machine(), lib.Version(), c.Check, c.Lines)
}

// Located reports whether code contains source positions.
func (d *Device) Located() bool { return d.Check || d.Lines }

// Restore links an object file.
func (d *Device) Restore(_ context.Context, name string, c target.Code) (target.Executable, error) {
	if c.Stage != stageObj {
		return nil, fmt.Errorf("%s is no object file", c.Stage)
	}
	k, err := describedBy(c.Meta)
	if err != nil {
		return nil, err
	}
	k.obj = c.Data
	return d.link(k, name)
}

// describedBy returns a compiled kernel, without its object file, from the properties that keep wrote.
func describedBy(meta []byte) (*compiled, error) {
	var k kept
	if err := json.Unmarshal(meta, &k); err != nil {
		return nil, err
	}
	if k.Entry == "" || k.Params < 0 || k.Scratch < 0 {
		return nil, fmt.Errorf("the kernel's description is not complete")
	}
	return &compiled{entry: k.Entry, scratch: k.Scratch, params: k.Params, sites: k.Sites, checked: k.Checked,
		apart: k.Apart, shares: k.Shares}, nil
}

// Code returns the kernel's object file. Kernels that print are not saved, because the descriptions of their
// prints are not in it.
func (k *kernel) Code() (target.Code, error) { return k.code.keep(k.name) }

// Facts returns what is known of the code.
func (k *kernel) Facts() target.Facts { return k.code.facts() }

// facts returns what is known of the code; threads are the pool's.
func (c *compiled) facts() target.Facts {
	return target.Facts{Entry: c.entry, Scratch: c.scratch, Apart: c.apart, Checked: c.checked}
}

// keep returns the object file with its properties.
func (c *compiled) keep(name string) (target.Code, error) {
	if len(c.prints) > 0 {
		return target.Code{}, fmt.Errorf("%s prints", name)
	}
	meta, err := json.Marshal(kept{c.entry, c.scratch, c.params, c.sites, c.checked, c.apart, c.shares})
	return target.Code{Stage: stageObj, Data: c.obj, Meta: meta}, err
}

// Discard frees the code: no launch of it is under way once nobody holds it.
func (k *kernel) Discard() { k.Close() }
