package tune

import (
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// Config is a config of the outermost @triton.autotune, in the form of a launch's arguments.
type Config struct {
	Name    string
	Args    []NamedValue
	Options target.Options
	Hook    bool // it has a pre_hook
}

// NamedValue is an argument by name.
type NamedValue struct {
	Name  string
	Value any
}

// Configs returns the configs of the kernel's outermost @triton.autotune, or none.
func (k *Kernel) Configs(dev *args.Device) ([]Config, error) {
	d := k.decorators(dev)
	if d.err != nil || d.t == nil {
		return nil, d.err
	}
	var out []Config
	for _, s := range d.t.Steps {
		if s.Autotune == nil {
			continue
		}
		for _, c := range s.Autotune.Configs {
			x := Config{Name: c.String(), Options: configOptions(c, target.Options{}), Hook: c.PreHook != nil}
			for _, kw := range c.Kwargs {
				x.Args = append(x.Args, NamedValue{kw.Name, goValue(kw.Value)})
			}
			out = append(out, x)
		}
		return out, nil
	}
	return nil, nil
}
