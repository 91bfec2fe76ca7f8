package target

import (
	"time"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pass"
)

// Given is a stage that the user has as text, from another compiler or written by hand. The compilation
// starts there.
type Given struct {
	Stage string
	Text  []byte
	Meta  []byte // description of the code as in Code.Meta, which text below the IR does not tell; may be nil

	Shared int // bytes of dynamic shared memory of a block where only Meta would tell; below 0: not known
}

// StartFromGluon takes the module of a Gluon kernel to TTGIR, from which the compilation then starts. Other
// modules stay as they are.
func (in *Input) StartFromGluon(b Backend) error {
	if !in.Module.Op.HasAttr(ttg.GluonAttr) {
		return nil
	}
	if err := GluonBy(b, in); err != nil {
		return err
	}
	in.Given = &Given{Stage: "ttgir", Text: Text(in.Module), Shared: -1}
	return nil
}

// GluonBy has a compiler take the module of a Gluon kernel to TTGIR, if it can.
func GluonBy(compiler any, in *Input) error {
	if c, ok := compiler.(interface{ Gluon(in *Input) error }); ok {
		return c.Gluon(in)
	}
	return diag.Refuse("Gluon", "its kernels are compiled for NVIDIA's GPUs and their simulators alone")
}

// ranks orders the stages of all back ends.
var ranks = map[string]int{
	"source": 1, "ttir": 2, "ttgir": 3, "linalg": 3, "llir": 4, "ptx": 5, "amdgcn": 5, "hsaco": 6,
}

// textRank is the rank of the first stage that is no module of ours. Only the stages before it tell what a
// launch needs, so they run for a front end's module even if the user gives a later text.
var textRank = ranks["llir"]

// Skips reports whether the work that makes a stage is left out, because the compilation starts there or
// later.
func (in *Input) Skips(stage string) bool {
	if in.Given == nil || ranks[in.Given.Stage] < ranks[stage] {
		return false
	}
	return in.Module == nil || ranks[in.Given.Stage] < textRank
}

// Make makes the module of a stage, by run or of the user's text, and records it.
func (in *Input) Make(stage string, run func() error) error {
	start := time.Now()
	skips := in.Skips(stage)
	if !skips {
		if err := run(); err != nil {
			return err
		}
	}
	if skips && in.Given.Stage != stage { // it starts later
		return nil
	}
	if err := in.Replace(stage); err != nil {
		return err
	}
	in.Stages.Record(stage, time.Since(start), func() []byte { return Text(in.Module) })
	return nil
}

// Replace replaces the module by the user's text of a stage, if there is one.
func (in *Input) Replace(stage string) error {
	text := in.ReplaceText(stage, nil)
	if text == nil {
		return nil
	}
	m, err := ir.Parse(diag.NewFileSet(), in.Kernel+"."+stage, text)
	if err != nil {
		return err
	}
	in.Module = m
	return ir.Verify(m.Op)
}

// ReplaceText returns the user's text of a stage, or own if there is none.
func (in *Input) ReplaceText(stage string, own []byte) []byte {
	if in.Given != nil && in.Given.Stage == stage {
		return in.Given.Text
	}
	if in.Override != nil {
		if text := in.Override(stage); text != nil {
			return text
		}
	}
	if in.Edit != nil {
		text := own
		if text == nil {
			text = Text(in.Module)
		}
		if text = in.Edit(stage, text); text != nil {
			return text
		}
	}
	return own
}

// TTIR makes the stage ttir and records it. Every back end begins with it.
func (in *Input) TTIR(t lang.Target) error {
	return in.Make("ttir", func() error { return in.Run(pass.TTIR(pass.TTIRFor(t.Row()))) })
}

// EntryOf returns the name of a kernel's function in Triton IR: that of its definition, which need not be the
// name by which the kernel was found (outer.inner, or another name for the same).
func EntryOf(m *ir.Module, kernel string) string {
	for name, op := range m.Symbols() {
		if op.Def == tt.Func && op.Text("sym_visibility") == "public" {
			return name
		}
	}
	return kernel
}
