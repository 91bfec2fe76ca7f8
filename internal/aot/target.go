package aot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
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
	kind, _, indexed := strings.Cut(name, ":")
	if fromOutside(name) {
		if indexed {
			return fmt.Errorf("the target %q is one device, and code is for all of them: write %s", name,
				kind)
		}
		return jit.CheckTarget(name)
	}
	if !jit.CompilesAhead(name) {
		return fmt.Errorf("there is no code ahead of time for the target %q: %s%s", name, forms,
			outsideForms())
	}
	return jit.CheckAhead(name)
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
