package amd

import (
	"context"
	"fmt"
	"strings"

	devamd "github.com/nereid-lang/nereid/internal/device/amd"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
)

// Fingerprint names what code depends on: the chip, LLVM, and whether indices are checked.
func (c Compiler) Fingerprint() string {
	v, err := llvm.Installed()
	if err != nil {
		return ""
	}
	return c.fingerprint(v.String())
}

func (c Compiler) fingerprint(version string) string {
	check := ""
	if knob.Checked.Get() {
		check = " check"
	}
	return fmt.Sprintf("%s llvm %s%s", c.Chip, version, check)
}

// Adopts reports whether a fingerprint is that of this compiler except for LLVM's version.
func (c Compiler) Adopts(fingerprint string) bool {
	before, after, _ := strings.Cut(c.fingerprint("\n"), "\n")
	return strings.HasPrefix(fingerprint, before) && strings.HasSuffix(fingerprint, after)
}

// Located reports that code contains source positions.
func (Compiler) Located() bool { return true }

// Runs returns nil if the chip runs code of a stage that was compiled for a machine.
func (c Compiler) Runs(stage, machine string) error { return devamd.Runs(c.Chip, stage, machine) }

// Build compiles a kernel and has restore load it.
func (c Compiler) Build(ctx context.Context, in *target.Input,
	restore func(context.Context, string, target.Code) (target.Executable, error)) (target.Executable,
	error) {
	made, err := c.CompileOnly(ctx, in)
	if err != nil || made == nil {
		return nil, err
	}
	kept, err := made.(*target.Unloaded).Code()
	if err != nil {
		return nil, err
	}
	return restore(ctx, in.Kernel, kept)
}
