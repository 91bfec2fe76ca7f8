package aot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/target/cpu"
)

// forms says how targets are written.
const forms = "expected cuda:80, cuda:90 and the like, hip:gfx942 and the like, cpu for this machine's, " +
	"or cpu:x86-64-v3 and the like"

// CheckTargets returns an error for a list of targets that is empty, names one twice, or names one that code
// cannot be made for here.
func CheckTargets(targets []string) error {
	if len(targets) == 0 {
		return fmt.Errorf("no targets: %s", forms)
	}
	for i, name := range targets {
		if slices.Contains(targets[:i], name) {
			return fmt.Errorf("the target %s is named twice", name)
		}
		if err := checkTarget(name); err != nil {
			return err
		}
	}
	return nil
}

func checkTarget(name string) error {
	kind, arch, indexed := strings.Cut(name, ":")
	if fromOutside(name) {
		if indexed {
			return fmt.Errorf("the target %q is one device, and code is for all of them: write %s", name,
				kind)
		}
		return jit.CheckTarget(name)
	}
	if kind != "cuda" && kind != "hip" && kind != "cpu" {
		return fmt.Errorf("there is no code ahead of time for the target %q: %s%s", name, forms,
			outsideForms())
	}
	if err := jit.CheckTarget(name); err != nil {
		return err
	}
	lib, err := llvm.Load()
	if err != nil {
		return err
	}
	switch kind {
	case "cuda":
		_, err = lib.NVPTX("sm_"+arch, 0)
	case "hip":
		_, err = lib.AMDGPU(arch)
	}
	if err != nil {
		return fmt.Errorf("the target %q: %w", name, err)
	}
	return nil
}

// fromOutside reports whether a target is a back end from outside (package backend).
func fromOutside(name string) bool {
	return slices.ContainsFunc(core.Outsiders(), func(o core.Outsider) bool {
		return o.Name == kindOf(name)
	})
}

// outsideForms says how the back ends from outside are written.
func outsideForms() (text string) {
	for _, o := range core.Outsiders() {
		text += ", or " + o.Name
	}
	return text
}

// targetName returns the name under which code for a target is kept: that of this machine's CPU is the
// chip's.
func targetName(name string) (string, error) {
	if name != "cpu" {
		return name, nil
	}
	chip, err := cpu.HostChip()
	return "cpu:" + chip, err
}
