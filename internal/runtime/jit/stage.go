package jit

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ptx"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/compile"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
)

// StageText is a kernel in the form of one of its stages, made by Nereid, by another compiler or by hand:
// Triton IR, TTGIR, LLVM IR or PTX.
type StageText struct {
	Name   string // name of the file; its ending names the stage: "x.ttir", "x.ttgir", "x.llir", "x.ptx"
	Text   []byte // the stage itself
	Kernel string // function of the text; "" means the only one

	// Description is the JSON that Compiled.LaunchInfo wrote for the kernel. LLVM IR and PTX do not tell
	// everything that a launch needs without it.
	Description []byte
	// Shared is the number of bytes of dynamic shared memory that PTX without a description uses, if it uses
	// any; 0 means that they are not known.
	Shared int
}

// StageOf returns the stage that a file's ending names ("source", "ttir", "ttgir", "linalg", "llir",
// "ptx"), or "".
func StageOf(file string) string {
	switch ext := strings.TrimPrefix(filepath.Ext(file), "."); ext {
	case "source", "ttir", "ttgir", "linalg", "llir", "ptx":
		return ext
	}
	return ""
}

// CompileStage goes on with a kernel from one of its stages, up to another; "" means all. The passes of the
// stage itself and of those before do not run. target is as for Kernel.CompileFor; "" means the one that the
// text names.
func CompileStage(ctx context.Context, target string, in StageText, opts core.Options,
	until string) (*core.Compiled,
	error) {
	t, err := in.read()
	if err != nil {
		return nil, compileError(err)
	}
	if target == "" {
		target = t.Target
	}
	if target == "" {
		target = "cuda:90"
	}
	if kind, _, _ := strings.Cut(target, ":"); t.Target != "" && kind != strings.Split(t.Target, ":")[0] {
		return nil, fmt.Errorf("nereid: %s is made for %s, not for %s", in.Name, t.Target, target)
	}
	b, err := compilerFor(target)
	if err != nil {
		return nil, err
	}
	dev := core.NewDevice(b)
	r, err := compile.CompileText(core.OrBackground(ctx), defaultConfig().settings(), core.DeviceCore(dev), t,
		core.DeviceOptions(opts), until)
	if err != nil {
		return nil, compileError(diag.RefusedBy(err, target))
	}
	return core.NewCompiled(dev, r, nil), nil
}

// read takes the text and its description apart.
func (in *StageText) read() (*compile.Text, error) {
	stage := StageOf(in.Name)
	if stage == "" {
		return nil, fmt.Errorf("nereid: %s names no stage: expected .ttir, .ttgir, .linalg, .llir or .ptx",
			in.Name)
	}
	t := &compile.Text{File: in.Name, Kernel: in.Kernel,
		Given: target.Given{Stage: stage, Text: in.Text, Shared: in.Shared}}
	if in.Shared == 0 {
		t.Given.Shared = -1
	}
	if err := t.Read(in.Description); err != nil {
		return nil, err
	}
	if t.Params == nil && (stage == "ptx" || stage == "llir") {
		t.Late = func(r *code.Result) ([]code.SavedParam, error) { return headerParams(t, r) }
	}
	if stage != "ptx" {
		return t, nil
	}
	h, err := ptx.ReadHeader(in.Text, t.Kernel)
	if err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", in.Name, err)
	}
	t.Kernel = h.Name
	if arch := strings.TrimRight(strings.TrimPrefix(h.Arch, "sm_"), "af"); t.Target == "" && arch != "" {
		t.Target = "cuda:" + arch
	}
	return t, nil
}

// headerTypes are types of PTX as signatures write them.
var headerTypes = map[string]string{
	"f32": "fp32", "f64": "fp64", "u8": "i8", "u16": "i16", "u32": "i32", "u64": "i64",
	"b8": "i8", "b16": "i16", "b32": "i32", "b64": "i64", "s8": "i8", "s16": "i16", "s32": "i32",
	"s64": "i64",
}

// headerParams returns the parameters that PTX declares. What its pointers point to is not known.
func headerParams(t *compile.Text, r *code.Result) (out []code.SavedParam, err error) {
	out = []code.SavedParam{}
	for _, s := range r.Stages {
		if s.Name != "ptx" {
			continue
		}
		h, err := ptx.ReadHeader(s.Text, t.Kernel)
		if err != nil {
			return nil, err
		}
		t.Kernel = h.Name
		for i, p := range h.Params {
			spec := headerTypes[p.Type]
			if p.Pointer {
				spec = "*i8"
			} else if spec == "" || p.Size > 8 {
				return nil, fmt.Errorf("nereid: %s: parameter %d has %d bytes of .%s: "+
					"what it is stands in the description that --emit json writes", t.File, i, p.Size, p.Type)
			}
			out = append(out, code.SavedParam{Name: fmt.Sprintf("param_%d", i), Spec: spec})
		}
	}
	return out, nil
}
