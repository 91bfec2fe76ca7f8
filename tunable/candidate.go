package tunable

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// Candidate is one implementation of an op.
type Candidate[P any] struct {
	Name string // results are kept by it
	// Hash identifies the code: a kept result of a candidate with another hash is measured again.
	Hash string
	// Supports returns an error if the candidate cannot run with the parameters. It is called for each call
	// and must be cheap; nil supports all.
	Supports func(p P) error
	// Run queues the work on a stream, as a launch does.
	Run func(s *run.Stream, p P) error
	// Prepare compiles or loads what Run needs, before anything is measured; several candidates are prepared
	// at once. It may be nil.
	Prepare func(s *run.Stream, p P) error

	// device returns an error if the candidate does not run on a device; may be nil.
	device func(dev *run.Device) error
	// hashOn returns the hash of code that differs from device to device; nil means Hash.
	hashOn func(dev *run.Device) string
}

// hash returns the hash of the code for a device.
func (c *Candidate[P]) hash(dev *run.Device) string {
	if c.hashOn != nil {
		return c.hashOn(dev)
	}
	return c.Hash
}

// Func returns the candidate of a Go function: a CPU path, or a call of a vendor's library. Results that were
// measured with another version are not used.
func Func[P any](name, version string, run func(s *run.Stream, p P) error) Candidate[P] {
	return Candidate[P]{Name: name, Hash: "go:" + version, Run: run}
}

// Launch says how parameters are launched with the code of a kernel.
type Launch[P any] struct {
	// Run launches: it fills c.Args and calls Args.Launch. It is also called to compile or to load the
	// code; its launches then run nothing.
	Run func(c *Code, s *run.Stream, p P) error
	// Supports returns an error if the code cannot run with the parameters, a block that is too small for a
	// row say. It must be cheap; nil supports all.
	Supports func(c *Code, p P) error
}

// candidate returns the candidate of some code.
func (l Launch[P]) candidate(c *Code) Candidate[P] {
	out := Candidate[P]{Name: c.name}
	if l.Run == nil {
		return out // which New refuses
	}
	out.Run = func(s *run.Stream, p P) error { return l.Run(c, s, p) }
	if l.Supports != nil {
		out.Supports = func(p P) error { return l.Supports(c, p) }
	}
	ahead := c.preparing()
	out.Prepare = func(s *run.Stream, p P) error { return l.Run(ahead, s, p) }
	return out
}

// JIT is a kernel that is compiled when it is launched: a *nereid.Kernel, whose methods say more.
type JIT interface {
	Name() string
	Text() (string, error)
	Launch(s *run.Stream, grid run.Programs, arguments ...any) error
	Tune(s *run.Stream, grid run.Programs, arguments ...any) error
	LaunchConfig(s *run.Stream, grid run.Programs, config string, arguments ...any) error
	CompileConfig(s *run.Stream, grid run.Programs, config string, arguments ...any) error
}

// Kernel returns a candidate for each config of a kernel: those of its @triton.autotune
// (nereid.Kernel.Configs) or others. Launches of a config with a pre_hook, which must be one of the kernel's
// own, call the hook. Without configs there is one candidate, the kernel as it is.
func Kernel[P any](k JIT, configs []run.TuneConfig, l Launch[P]) ([]Candidate[P], error) {
	if k == nil || l.Run == nil {
		return nil, fmt.Errorf("tunable: Kernel needs a kernel and a function Run")
	}
	text, err := k.Text()
	if err != nil {
		return nil, err
	}
	if len(configs) == 0 {
		configs = []run.TuneConfig{{}}
	}
	var out []Candidate[P]
	for _, config := range configs {
		code := kernelCode(k, config)
		c := l.candidate(code)
		c.hashOn = func(dev *run.Device) string {
			_, _, compiler := core.Built(dev)
			return hashOf(text, code.name, compiler)
		}
		out = append(out, c)
	}
	return out, nil
}

// kernelCode returns a kernel with one of its configs.
func kernelCode(k JIT, config run.TuneConfig) *Code {
	c := &Code{kernel: k}
	values := map[string]any{}
	for _, a := range config.Args {
		values[a.Name] = a.Value
		if !config.Hook {
			c.fixed = append(c.fixed, a)
		}
	}
	c.setConstants(values)
	switch {
	case config.Hook: // launches choose the config by name, and call its hook
		c.hooked = config.Name
	case config.Options != (run.Options{}):
		c.fixed = append(c.fixed, config.Options)
	}
	c.name = k.Name()
	if text := configText(config); text != "" {
		c.name += " " + text
	}
	return c
}

// configText returns the values of a config, as Triton writes them.
func configText(c run.TuneConfig) string {
	if c.Name != "" {
		return c.Name
	}
	var parts []string
	for _, a := range c.Args {
		parts = append(parts, fmt.Sprintf("%s: %v", a.Name, a.Value))
	}
	for _, o := range []struct {
		name  string
		value int
	}{
		{"num_warps", c.Options.NumWarps}, {"num_ctas", c.Options.NumCTAs},
		{"num_stages", c.Options.NumStages}, {"maxnreg", c.Options.MaxNReg},
	} {
		if o.value != 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", o.name, o.value))
		}
	}
	return strings.Join(parts, ", ")
}

// Nested returns an op as a candidate of another, which has other parameters. It is tuned when the outer one
// is.
func Nested[P, Q any](op *Op[Q], convert func(P) Q) Candidate[P] {
	if !op.usable() || convert == nil {
		return Candidate[P]{Name: op.Name()} // which New refuses
	}
	return Candidate[P]{
		Name:     op.name,
		hashOn:   op.hash,
		Supports: func(p P) error { return op.supports(convert(p)) },
		Run:      func(s *run.Stream, p P) error { return op.Call(s, convert(p)) },
		device: func(dev *run.Device) (err error) {
			for i := range op.candidates {
				if err = op.candidates[i].on(dev); err == nil {
					return nil
				}
			}
			return err
		},
	}
}

// hash identifies the candidates on a device, in any order.
func (o *Op[P]) hash(dev *run.Device) string {
	var parts []string
	for i := range o.candidates {
		c := &o.candidates[i]
		parts = append(parts, c.Name+"\x00"+c.hash(dev))
	}
	slices.Sort(parts)
	return hashOf(parts...)
}

// supports returns an error if no candidate supports the parameters.
func (o *Op[P]) supports(p P) (err error) {
	for i := range o.candidates {
		if c := &o.candidates[i]; c.Supports == nil {
			return nil
		} else if err = c.Supports(p); err == nil {
			return nil
		}
	}
	return err
}

// on returns an error if the candidate does not run on a device.
func (c *Candidate[P]) on(dev *run.Device) error {
	if c.device == nil {
		return nil
	}
	return c.device(dev)
}

func hashOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
