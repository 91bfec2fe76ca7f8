package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names of parts.
const (
	PartCubin = "cubin" // machine code of an NVIDIA GPU
	PartPTX   = "ptx"   // PTX, which drivers of newer GPUs assemble
	PartHsaco = "hsaco" // a code object of an AMD GPU
	PartObj   = "obj"   // an ELF object file for CPUs
	PartMeta  = "meta"  // what a launch must know: JSON of code.Saved, without the code

	PartCertificate = "certificate" // JSON of Certificate
	PartForms       = "forms"       // JSON of a list of code.SavedForm: code for some launches each
)

// Entry is a variant of a kernel, compiled for one target. Name and Target together are its key.
type Entry struct {
	Name      string     // chosen by the table: "softmax_fp32_1024"
	Group     string     // variants that compute the same; "" means none
	Kernel    string     // name of the kernel's function
	Target    string     // what it was compiled for: "cuda:90", "hip:gfx942", "cpu:x86-64-v3"
	Machine   string     // processors that run it: code.Saved.Machine
	Signature string     // in the form that Kernel.Compile takes
	Options   string     // JSON of target.Options
	Source    string     // hash of the kernel's source
	Compiler  string     // build of Nereid
	Generator string     // LLVM, ptxas and the like, with their versions
	Constants []Constant // values that are compiled in, sorted by name

	Parts []Part // sorted by name; File fills them in, Writer.Add sets them
}

// Constant is a parameter with the value that is compiled in, as a Python literal.
type Constant struct{ Name, Value string }

// Part is a piece of an entry as it lies in the file.
type Part struct {
	Name   string
	Size   int // bytes, unpacked
	Packed int // bytes in the file

	blob int
}

// Constants returns constants as Entry has them.
func Constants(values map[string]string) []Constant {
	list := make([]Constant, 0, len(values))
	for name, value := range values {
		list = append(list, Constant{name, value})
	}
	slices.SortFunc(list, func(a, b Constant) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Constant returns the value of a constant.
func (e *Entry) Constant(name string) (value string, ok bool) {
	i, ok := slices.BinarySearchFunc(e.Constants, name,
		func(c Constant, name string) int { return cmp.Compare(c.Name, name) })
	if !ok {
		return "", false
	}
	return e.Constants[i].Value, true
}

// Part returns the part of a name, or nil.
func (e *Entry) Part(name string) *Part {
	for i := range e.Parts {
		if e.Parts[i].Name == name {
			return &e.Parts[i]
		}
	}
	return nil
}

// String returns the entry's key: "softmax_fp32_1024 for cuda:90".
func (e *Entry) String() string { return e.Name + " for " + e.Target }

// compareEntries orders entries by name, then by target.
func compareEntries(a, b *Entry) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Target, b.Target))
}

// checkBeside returns an error for an entry that may not follow another in a bundle: entries are in order,
// and those of one name are the same variant for other targets.
func (e *Entry) checkBeside(before *Entry) error {
	switch {
	case compareEntries(before, e) >= 0:
		return fmt.Errorf("bundle: %s is not in order", e)
	case before.Name == e.Name && (before.Group != e.Group || before.Kernel != e.Kernel ||
		!slices.Equal(before.Constants, e.Constants)):
		return fmt.Errorf("bundle: %s and %s differ in more than their targets: give them other names",
			before, e)
	}
	return nil
}

// maxText bounds a name of an entry, a group, a kernel, a target, a part.
const maxText = 400

// check returns an error for an entry that no bundle may have.
func (e *Entry) check() error {
	for _, f := range []struct{ what, text string }{
		{"name", e.Name}, {"kernel", e.Kernel}, {"target", e.Target},
	} {
		if f.text == "" {
			return fmt.Errorf("bundle: an entry has no %s", f.what)
		}
	}
	for _, text := range []string{e.Name, e.Group, e.Kernel, e.Target} {
		if !plain(text) {
			return fmt.Errorf("bundle: %q is no name: expected at most %d bytes of printable text",
				text, maxText)
		}
	}
	byName := func(a, b Constant) int { return cmp.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(e.Constants, byName) {
		return fmt.Errorf("bundle: %s: its constants are not sorted", e)
	}
	if len(e.Parts) == 0 {
		return fmt.Errorf("bundle: %s has no parts", e)
	}
	for i, p := range e.Parts {
		if p.Name == "" || !plain(p.Name) || i > 0 && e.Parts[i-1].Name >= p.Name {
			return fmt.Errorf("bundle: %s: the part %q has no name, or is not in order", e, p.Name)
		}
	}
	return nil
}

// plain reports whether a text can be shown as a name.
func plain(text string) bool {
	return len(text) <= maxText && utf8.ValidString(text) &&
		strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
