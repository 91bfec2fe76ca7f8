package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/view"
)

// besideFlags say what a page compares its kernel with.
type besideFlags struct {
	kernel string // FILE.py[:KERNEL]
	config []string
	triton string
}

func (b *besideFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&b.kernel, "beside", "", "compare with another kernel, FILE.py[:KERNEL]; it gets "+
		"the arguments that have names of its parameters")
	fs.StringArrayVar(&b.config, "beside-config", nil, "compare with other arguments or options: BLOCK=64, "+
		"num_warps=8, grid=12; several are separated by spaces")
	fs.StringVar(&b.triton, "beside-triton", "", "compare with the kernel under another release of Triton")
}

func (b *besideFlags) given() bool { return b.kernel != "" || len(b.config) > 0 || b.triton != "" }

// Beside implements view.Compiler.
func (v *viewer) Beside(ctx context.Context, text []byte, c view.Choice) *view.Model {
	f := besideFlags{triton: c.Triton}
	if c.Config != "" {
		f.config = []string{c.Config}
	}
	if c.Kernel != "" && c.Kernel != v.kernel {
		if own := v.choices(text); own == nil || !slices.Contains(own.Kernels, c.Kernel) {
			return &view.Model{Errors: []string{"the file has no kernel " + c.Kernel}}
		}
		f.kernel = v.file + ":" + c.Kernel
	}
	m, err := v.beside(ctx, text, f)
	if err != nil {
		return &view.Model{Errors: []string{plainText(err)}}
	}
	return m
}

// beside returns the model of what flags ask for, to be compared with the viewer's own of a text.
func (v *viewer) beside(ctx context.Context, text []byte, f besideFlags) (*view.Model, error) {
	o, text, err := v.other(text, f)
	if err != nil {
		return nil, err
	}
	m, err := o.model(ctx, text, o.flags.targets)
	if err != nil {
		return nil, err
	}
	m.Label, m.Own = strings.Join(o.differs, ", "), strings.Join(o.instead, ", ")
	if !o.flags.noRun {
		m.Cost = o.Cost(ctx, text)
	}
	return m, nil
}

// other returns a viewer of what flags ask for, and the text of its file.
func (v *viewer) other(text []byte, f besideFlags) (*viewer, []byte, error) {
	flags := *v.flags
	o := &viewer{flags: &flags, file: v.file, kernel: v.kernel, args: slices.Clone(v.args),
		release: v.release}
	if f.triton != "" {
		if _, err := triton.Parse(f.triton); err != nil {
			return nil, nil, usagef("--beside-triton: %w", err)
		}
		o.release = f.triton
		o.differs = append(o.differs, "Triton "+f.triton)
		o.instead = append(o.instead, "Triton "+v.releaseName())
	}
	if f.kernel != "" {
		o.file, o.kernel, _ = cutKernel(f.kernel)
		if o.file != v.file {
			var err error
			if text, err = safefile.ReadNamed(o.file, maxInput); err != nil {
				return nil, nil, err
			}
		}
	}
	k, err := o.load(text, nereid.With(quietConfig()))
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, p := range k.Params() {
		names = append(names, p.Name)
	}
	if o.file != v.file || o.kernel != v.kernel {
		o.args = slices.DeleteFunc(o.args, func(a string) bool { return !slices.Contains(names, nameOf(a)) })
	}
	for _, text := range f.config {
		for _, word := range splitWords(text) {
			if err := o.set(word, names); err != nil {
				return nil, nil, err
			}
		}
	}
	return o, text, nil
}

func nameOf(arg string) string {
	name, _, _ := strings.Cut(arg, "=")
	return name
}

// set gives the kernel another argument, option or grid.
func (v *viewer) set(word string, params []string) error {
	name, value, ok := strings.Cut(word, "=")
	if !ok || value == "" {
		return usagef("--beside-config: %q is not NAME=VALUE", word)
	}
	was := ""
	o := &v.flags.run.opts
	options := map[string]*int{"num_warps": &o.NumWarps, "num_stages": &o.NumStages, "num_ctas": &o.NumCTAs,
		"maxnreg": &o.MaxNReg}
	number, isOption := options[name]
	switch {
	case slices.Contains(params, name):
		if v.flags.run.input.signature != "" {
			return usagef("--beside-config: with --signature it sets options alone, not %s", name)
		}
		i := slices.IndexFunc(v.args, func(a string) bool { return nameOf(a) == name })
		if i < 0 {
			v.args = append(v.args, word)
		} else {
			was, v.args[i] = v.args[i], word
		}
	case isOption:
		n, err := strconv.Atoi(value)
		if err != nil || n <= 0 {
			return usagef("--beside-config: %s wants a number, not %q", name, value)
		}
		if usual := map[string]int{"num_warps": 4, "num_ctas": 1}[name]; *number > 0 || usual > 0 {
			was = name + "=" + strconv.Itoa(cmp.Or(*number, usual))
		}
		*number = n
	case name == "grid":
		was, v.flags.run.grid = "grid="+v.flags.run.grid, value
	default:
		return usagef("--beside-config: %s has no parameter %s, and there is no such option: num_warps, "+
			"num_stages, num_ctas, maxnreg, grid", v.kernel, name)
	}
	v.differs = append(v.differs, word)
	if was != "" {
		v.instead = append(v.instead, was)
	}
	return nil
}

// splitWords splits at spaces that are in no quotes and in no brackets.
func splitWords(text string) (words []string) {
	depth, quote, start := 0, byte(0), -1
	for i := range len(text) {
		c := text[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case (c == ' ' || c == '\t') && depth <= 0:
			if start >= 0 {
				words = append(words, text[start:i])
			}
			start = -1
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		words = append(words, text[start:])
	}
	return words
}

// releaseName returns the release of Triton that the kernel is read by.
func (v *viewer) releaseName() string {
	release := v.release
	if release == "" {
		release = quietConfig().Triton
	}
	if release == "" {
		return fmt.Sprint(triton.V36)
	}
	return release
}

// choices are what a reader of the page can have compared.
func (v *viewer) choices(text []byte) *view.Choices {
	m, err := v.parse(text, nereid.With(quietConfig()))
	if err != nil {
		return nil
	}
	c := &view.Choices{Kernels: m.Kernels()}
	for _, r := range triton.Releases {
		c.Releases = append(c.Releases, fmt.Sprint(r))
	}
	c.Releases = append(c.Releases, "3.9+block_ptr")
	return c
}
