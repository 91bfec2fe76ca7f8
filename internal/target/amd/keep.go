package amd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/target"
)

// Kept returns the description of a compiled kernel that is saved with its code object.
func Kept(c target.Code) (*Code, error) {
	k := &Code{}
	if err := json.Unmarshal(c.Meta, k); err != nil {
		return nil, err
	}
	if k.Name == "" || k.NumWarps <= 0 || chips[k.Chip] == 0 {
		return nil, errors.New("the kernel's description is not complete")
	}
	return k, nil
}

// Lanes returns the lanes of a wave of the kernel's chip.
func (k *Code) Lanes() int { return chips[k.Chip] }

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
func (c Compiler) Runs(stage, machine string) error {
	if stage != stageCode || machine != c.Chip {
		return fmt.Errorf("%s runs its own code objects, not %s for %s", c.Chip, stage, machine)
	}
	return nil
}

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
