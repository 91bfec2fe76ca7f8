package cform

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Launches choose among the forms of a variant's code as launches from Go do. What they choose by is written
// as data: guards, tiles and computed numbers are lists of numbers, which forms.c.txt reads.

// form is a form with its description.
type form struct {
	code.SavedForm
	code *nvidia.Code
}

// choice writes the forms of an entry's code and returns the name of their table; "" if there are none beside
// the general one.
func (w *writer) choice(e *bundle.Entry, s *code.Saved, chip chipOf) (ref, error) {
	forms, err := w.takeForms(e, s)
	if err != nil || len(forms) == 0 {
		return "", err
	}
	w.forms++
	id := w.forms
	codes := table{name: fmt.Sprintf("forms_%d", id), ctype: "code"}
	states := table{name: fmt.Sprintf("formstates_%d", id), ctype: "state", variable: true}
	for _, f := range forms {
		codes.rows = append(codes.rows, w.formCode(f, chip))
		states.rows = append(states.rows, []cell{ref(""), ref("")})
	}
	c := forms[0].code.Choice()
	merges := table{name: fmt.Sprintf("merges_%d", id), ctype: "merge"}
	for _, m := range c.Merges {
		if i := formOf(forms, m.Way); i >= 0 {
			merges.rows = append(merges.rows, []cell{number(m.Way.Merge), number(m.Least), number(m.PerSM),
				number(m.Way.Unit), number(i)})
		}
	}
	var units, deeper []int64
	for _, one := range c.Ones {
		units = append(units, int64(one.Word), int64(one.Mask))
	}
	for _, n := range c.Depths {
		at := -1
		if n >= 0 {
			at = formOf(forms, device.Way{Fallback: true, BlocksPerSM: n})
		}
		deeper = append(deeper, int64(at))
	}
	stays, brief := -1, ref("")
	if c.Stays != nil {
		stays = formOf(forms, *c.Stays)
	}
	if k := forms[0].code; k.Short != nil {
		brief = w.numbers(guardNumbers(k.Short, k.Params))
	}
	row := table{name: fmt.Sprintf("choice_%d", id), ctype: "choice", rows: [][]cell{{ref(codes.name),
		ref(states.name), number(c.Plain), number(len(merges.rows)), ref(merges.name), number(len(c.Ones)),
		w.numbers(units), number(stays), brief, w.numbers(deeper)}}}
	w.tables = append(w.tables, codes, states, merges, row)
	return ref(row.name), nil
}

// takeForms returns the forms that C code can launch, that with which launches begin first. The others are
// left out, by name; all of them without the first.
func (w *writer) takeForms(e *bundle.Entry, s *code.Saved) (list []form, err error) {
	for _, f := range s.Forms {
		if f.Stage != s.Stage {
			continue
		}
		k, err := describe(&f)
		if err != nil {
			return nil, err
		}
		if err := launchable(k); err != nil {
			w.left = append(w.left, fmt.Errorf("%s, its form %s: %w", e, f.Way, err))
			continue
		}
		list = append(list, form{f, k})
	}
	if len(list) == 0 || list[0].Way != device.AnyLaunch {
		return nil, nil
	}
	return list, nil
}

// describe returns what launches know of a form.
func describe(f *code.SavedForm) (*nvidia.Code, error) {
	k, err := nvidia.Kept(device.Code{Stage: f.Stage, Meta: f.Meta})
	if err != nil {
		return nil, fmt.Errorf("the form %s: %w", f.Way, err)
	}
	return k, nil
}

// Launches returns why C code cannot launch a form, or nil.
func Launches(f *code.SavedForm) error {
	k, err := describe(f)
	if err != nil {
		return err
	}
	return launchable(k)
}

// launchable returns why C code cannot launch a form, or nil.
func launchable(k *nvidia.Code) error {
	switch {
	case len(k.Apart()) > 0:
		return errors.New("it must know that tensors do not overlap, and C code does not know their sizes")
	case k.Check != nil || k.Certify:
		return errors.New("it checks its accesses, or computes in a ring")
	case k.NumCTAs > 1 && k.Uniform != nil || k.Scratch > 0 && k.Persistent:
		return errors.New("its parameters are not computed in C")
	case len(k.Params) > maxArgs || len(k.Maps) > maxMaps || k.Uniform.Words() > maxComputed:
		return errors.New("it has too many parameters")
	}
	return nil
}

// maxComputed bounds the words that a launch computes.
const maxComputed = 128

// formOf returns the number of the form of a way, or -1.
func formOf(list []form, way device.Way) int {
	for i, f := range list {
		if f.Way == way {
			return i
		}
	}
	return -1
}

// formCode returns the row of a form's code.
func (w *writer) formCode(f form, chip chipOf) []cell {
	k := f.code
	count, at := w.mapTables(k.Maps, k.Params)
	return append(chip.cells(k.Name, w.image(f.Code)), number(32*k.NumWarps), number(max(1, k.NumCTAs)),
		number(k.Shared), number(k.Scratch), number(k.Cooperative), number(k.Overlap), "", ref(""), count, at,
		number(len(k.Params)), number(k.Persistent), number(max(1, k.Merged)), number(k.Uniform.Words()),
		w.numbers(uniformNumbers(k.Uniform)), ref(""), number(0), ref(""), ref(""))
}

// numbers writes a list of numbers and returns the name of its table; "" for an empty list.
func (w *writer) numbers(list []int64) ref {
	if len(list) == 0 {
		return ""
	}
	w.lists++
	t := table{name: fmt.Sprintf("numbers_%d", w.lists), ctype: "int64_t"}
	for _, n := range list {
		t.rows = append(t.rows, []cell{n})
	}
	w.tables = append(w.tables, t)
	return ref(t.name)
}

// argNumber returns an argument as lists have it: its number, and its bytes.
func argNumber(arg int, sizes []int) int64 { return int64(16*arg + min(8, sizes[arg])) }

// guardNumbers returns a guard, its length first.
func guardNumbers(g gpucode.TileGuard, sizes []int) []int64 {
	list := []int64{int64(len(g))}
	for i := 0; i < len(g); i += 2 {
		x := g[i+1]
		if g[i] == gpucode.GuardArg {
			x = argNumber(int(x), sizes)
		}
		list = append(list, g[i], x)
	}
	return list
}

// tileNumbers returns a tile as tile_words of forms.c.txt reads it.
func tileNumbers(t *gpucode.Tile, sizes []int) []int64 {
	list := []int64{argNumber(t.Base, sizes), int64(len(t.Natural))}
	for _, a := range t.Natural {
		list = append(list, argNumber(a, sizes))
	}
	list = append(list, int64(len(t.Multiples)))
	for _, m := range t.Multiples {
		list = append(list, argNumber(m.Arg, sizes), m.Of)
	}
	list = append(list, int64(len(t.Guards)))
	for _, g := range t.Guards {
		list = append(list, guardNumbers(g, sizes)...)
	}
	term := func(x gpucode.TileTerm) {
		list = append(list, x.Factor, int64(len(x.Args)))
		for _, a := range x.Args {
			list = append(list, argNumber(a, sizes))
		}
	}
	for _, d := range t.Dims {
		term(d.Stride)
		if d.Size == nil {
			list = append(list, -1)
			continue
		}
		list = append(list, int64(len(d.Size)))
		for _, x := range d.Size {
			term(x)
		}
	}
	return list
}

// uniformNumbers returns a program as compute of forms.c.txt reads it.
func uniformNumbers(p *uniform.Program) []int64 {
	if p == nil {
		return nil
	}
	list := []int64{int64(len(p.Steps))}
	for _, s := range p.Steps {
		wide := int64(0)
		if s.Wide {
			wide = 1
		}
		list = append(list, int64(s.Op), wide, int64(s.X), int64(s.Y), s.N)
	}
	list = append(list, int64(len(p.Outputs)))
	for _, o := range p.Outputs {
		list = append(list, int64(o.Kind), int64(o.Step))
	}
	return list
}

// formSteps returns the numbers of steps in lists as C.
func formSteps() string {
	var b strings.Builder
	enum := func(prefix string, names ...any) {
		b.WriteString("enum { ")
		for i := 0; i < len(names); i += 2 {
			fmt.Fprintf(&b, "%s_%s = %d, ", prefix, names[i], names[i+1])
		}
		b.WriteString("};\n")
	}
	enum("APPLY", "NUMBER", uniform.Number, "ARG", uniform.Arg, "PROGRAMS", uniform.Programs,
		"EXTEND", uniform.Extend, "EXTENDU", uniform.ExtendU, "ADD", uniform.Add, "SUB", uniform.Sub,
		"MUL", uniform.Mul, "DIV", uniform.Div, "REM", uniform.Rem, "DIVU", uniform.DivU,
		"REMU", uniform.RemU, "MIN", uniform.Min, "MAX", uniform.Max)
	enum("BY", "NUMBER", uniform.Plain, "WIDE_NUMBER", uniform.PlainWide, "SIGNED", uniform.Signed,
		"UNSIGNED", uniform.Unsigned, "WIDE", uniform.SignedWide)
	enum("GUARD", "NUMBER", gpucode.GuardNumber, "ARG", gpucode.GuardArg, "PROGRAM", gpucode.GuardProgram,
		"PROGRAMS", gpucode.GuardPrograms, "INDEX", gpucode.GuardIndex, "EACH", gpucode.GuardEach,
		"ADD", gpucode.GuardAdd, "SUB", gpucode.GuardSub, "MUL", gpucode.GuardMul, "DIV", gpucode.GuardDiv,
		"REM", gpucode.GuardRem, "MIN", gpucode.GuardMin, "MAX", gpucode.GuardMax)
	return b.String()
}
