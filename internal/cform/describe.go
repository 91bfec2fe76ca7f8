package cform

import (
	"encoding/json"
	"slices"

	"github.com/nereid-lang/nereid/internal/rule"
)

// describeOperators adds the description of a library's operators, which programs that rewrite models
// read: data in a section of its own, so that nobody has to load the library.
func (w *writer) describeOperators(operators []rule.Served) error {
	text, err := json.Marshal(rule.Library{Version: rule.LibraryVersion, Operators: operators})
	if err != nil {
		return err
	}
	w.blobs = append(w.blobs, blob{name: "described_operators", data: text, section: rule.LibrarySection})
	return nil
}

// kernels describes the group of an operator with element types.
func (g *grouped) kernels(types map[string]string) rule.Kernels {
	k := rule.Kernels{Types: types, Group: g.name, CPU: g.has(onCPU), Sizes: g.sizes}
	for at, name := range map[place]string{onCUDA: "cuda", onHIP: "hip"} {
		if g.has(at) {
			k.GPU = append(k.GPU, name)
		}
	}
	slices.Sort(k.GPU)
	for _, a := range g.variants[0].saved.Args {
		k.Args = append(k.Args, a.Name)
	}
	for _, v := range g.variants {
		k.When = append(k.When, v.launch.When)
	}
	return k
}
