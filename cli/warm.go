package cli

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	cachestore "github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/triton"
)

func newWarmCmd() *cobra.Command {
	var device, root, program string
	var quiet, all bool
	var ranges []string
	forms := formNames[0]
	cmd := &cobra.Command{
		Use:   "warm MANIFEST.json",
		Short: "Compiles the kernels of a manifest ahead of time",
		Long: "Compiles every variant that a manifest lists, several at once, into the cache: processes\n" +
			"that share it compile nothing. A program writes a manifest of what it launches with\n" +
			"NEREID_RECORD=MANIFEST.json, or with nereid.Recorder.\n\n" +
			"Compiled kernels belong to a build of the compiler: a release, or the sources of a checkout,\n" +
			"from which programs and this command are built. A program of another build that calls\n" +
			"nereid.WarmMain in its main function warms itself up with --program.\n\n" +
			"With --device cuda:90 or hip:gfx942 the machine needs neither such a GPU nor its driver. A\n" +
			"machine that has one, with the same version of LLVM or none, finds the code in a cache that\n" +
			"it shares or gets; NVIDIA's drivers assemble it when it is loaded.",
		Example: "  NEREID_RECORD=manifest.json ./prog; nereid warm manifest.json\n" +
			"  nereid warm manifest.json --program ./prog\n" +
			"  nereid warm manifest.json --device cuda:90",
		Args: one("a manifest: MANIFEST.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			defer interruptible(cmd)()
			m, err := nereid.ReadManifest(args[0])
			if err != nil {
				return err
			}
			if program != "" {
				return warmProgram(cmd, program, args[0], device)
			}
			dev, err := openOrTarget(device)
			if err != nil {
				return err
			}
			f := slices.Index(formNames, forms)
			if f < 0 {
				return usagef("--forms %s: there are %s", forms, strings.Join(formNames, ", "))
			}
			bounds, err := parseRanges(ranges)
			if err != nil {
				return err
			}
			return warm(cmd, m, dev, warmFlags{root, quiet, nereid.Forms(f), all || bounds != nil, bounds})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&device, "device", "", "device to compile for, or a target that need not be here: "+
		"cuda:90, hip:gfx942 (default: the best device here)")
	flags.StringVar(&root, "root", "", "folder of the kernels' files, where the manifest's names are not "+
		"right from here")
	flags.StringVar(&program, "program", "", "have this program, which calls nereid.WarmMain, compile "+
		"for itself")
	flags.StringVar(&forms, "forms", forms, "which forms of code, for launches of other grids and "+
		"arguments, are compiled: all, those that the manifest has seen, or the general one alone")
	flags.BoolVar(&all, "all", false, "compile every specialization that the types of the manifest's "+
		"arguments allow: numbers that are 1, divisible by 16 or neither, addresses that are aligned or not")
	flags.StringArrayVar(&ranges, "range", nil, "with --all, values of a number: n=1:4096; more than one")
	flags.BoolVarP(&quiet, "quiet", "q", false, "print failures and the total only")
	return cmd
}

// openOrTarget opens a device, or a target for which code is compiled without it: a compute capability is no
// number of a device.
func openOrTarget(name string) (*nereid.Device, error) {
	if jit.NamesTarget(name) {
		return nereid.OpenTarget(name)
	}
	return nereid.OpenDevice(name)
}

// warmProgram starts a program that warms itself up.
func warmProgram(cmd *cobra.Command, program, manifest, device string) error {
	c := exec.CommandContext(contextOf(cmd), program)
	c.Env = append(os.Environ(), knob.Warm.Name()+"="+manifest)
	if device != "" {
		c.Env = append(c.Env, knob.Device.Name()+"="+device)
	}
	c.Stdout, c.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

// formNames are the values of --forms, by nereid.Forms.
var formNames = []string{"all", "seen", "general"}

// warmFlags say what is compiled, and what is printed.
type warmFlags struct {
	root   string
	quiet  bool
	forms  nereid.Forms
	all    bool // every specialization that the types of arguments allow, within ranges of numbers
	bounds map[string]nereid.Range
}

// parseRanges reads ranges of numbers: n=1:4096.
func parseRanges(texts []string) (map[string]nereid.Range, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	out := map[string]nereid.Range{}
	for _, text := range texts {
		name, values, _ := strings.Cut(text, "=")
		first, last, ok := strings.Cut(values, ":")
		a, err := strconv.ParseInt(first, 10, 64)
		b, err2 := strconv.ParseInt(last, 10, 64)
		if !ok || err != nil || err2 != nil || name == "" {
			return nil, usagef("--range %s: write NAME=FIRST:LAST, as n=1:4096", text)
		}
		out[name] = nereid.Range{First: a, Last: b}
	}
	return out, nil
}

// warm compiles file by file.
func warm(cmd *cobra.Command, m *nereid.Manifest, dev *nereid.Device, f warmFlags) error {
	out := cmd.OutOrStdout()
	var fsys fs.FS
	if f.root != "" {
		below, err := os.OpenRoot(f.root) // neither names nor links of a manifest lead out of it
		if err != nil {
			return err
		}
		defer below.Close()
		fsys = below.FS()
	}
	kept := nereid.EnvCache()
	if mode := knob.Cache.Get(); kept == nil || mode == "readonly" {
		return usagef("what is compiled would not be kept: NEREID_CACHE=%s", mode)
	}
	passed, failed, total := 0, 0, variantCount(m)
	bar := newProgress(cmd.ErrOrStderr(), total)
	defer func() { bar.done() }()
	told := func(v nereid.Variant, err error) {
		bar.done()
		defer func() { bar.step("after " + v.Kernel) }()
		switch {
		case err != nil:
			failed++
			fmt.Fprintf(out, "FAIL %s: %v\n", v, err)
		default:
			passed++
			if !f.quiet {
				fmt.Fprintf(out, "ok %s (%d of %d)\n", v, passed+failed, total)
			}
		}
	}
	for _, of := range filesOf(m) {
		mod, err := within(contextOf(cmd), func() (*nereid.Module, error) {
			return loadNamed(of[0], fsys, kept, f.forms)
		})
		if err != nil {
			for _, v := range of {
				told(v, err)
			}
			continue
		}
		if f.all {
			more, err := mod.AllVariants(of, f.bounds)
			if err != nil {
				return err
			}
			total += len(more) - variantCount(&nereid.Manifest{Variants: of})
			of = more
		}
		// which tells of every error
		mod.Warmup(contextOf(cmd), dev, of, func(_, _ int, v nereid.Variant, err error) { told(v, err) })
	}
	kept.Close()
	s := kept.Stats()
	fmt.Fprintf(out, "%d passed, %d failed; %d compiled, %d in the cache already\n", passed, failed,
		s.Compiled, s.Disk+s.Shared)
	if build := buildName(); build != "" {
		fmt.Fprintf(out, "kept for %s\n", build)
	}
	switch {
	case failed > 0:
		return errReported
	case s.Lost > 0:
		return fmt.Errorf("%d of the kernels are not kept: %s cannot be written to", s.Lost, kept.Dir())
	case passed > 0 && s.Compiled+s.Disk+s.Shared == 0:
		return fmt.Errorf("nothing is kept: kernels for %s compile in a moment each time", dev)
	}
	return nil
}

// buildName says which programs find what this one has compiled.
func buildName() string {
	name := cachestore.Build()
	if id, ok := strings.CutPrefix(name, "sources "); ok {
		return "programs with these sources of Nereid, " + id
	}
	if id, ok := strings.CutPrefix(name, "build "); ok {
		return "this very program alone, build " + id +
			": it is no release. Another program compiles a manifest with Module.Warmup or " +
			"nereid.WarmMain (--program)"
	}
	return "programs with Nereid " + name
}

// loadNamed loads a file under the name that the manifest has for it, below a root if there is one.
func loadNamed(v nereid.Variant, root fs.FS, kept *nereid.Cache, forms nereid.Forms) (*nereid.Module,
	error) {
	conf := nereid.EnvConfig()
	conf.Forms = forms
	file, release := v.File, nereid.Triton(cmp.Or(v.Triton, triton.Default.String()))
	conf.Cache, conf.Strict, conf.Record = kept, false, nil
	if root != nil {
		return nereid.LoadFS(root, file, nereid.With(conf), release)
	}
	return nereid.Load(filepath.FromSlash(file), nereid.With(conf), release)
}

// within returns the results of f, or the context's error if that ends first: a signal must end the command
// also while f waits for a file that a manifest names, on a disk that does not answer say.
func within[T any](ctx context.Context, f func() (T, error)) (out T, err error) {
	done := make(chan struct{})
	var got T
	var failed error
	go func() {
		defer close(done)
		got, failed = f()
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// variantCount returns the number of different variants; several forms of one count once.
func variantCount(m *nereid.Manifest) int {
	seen := map[nereid.Variant]bool{}
	for _, v := range m.Variants {
		v.Form = ""
		seen[v] = true
	}
	return len(seen)
}

// filesOf are the variants of a manifest by file, in its order.
func filesOf(m *nereid.Manifest) (files [][]nereid.Variant) {
	type source struct{ file, triton string }
	at := map[source]int{}
	for _, v := range m.Variants {
		i, ok := at[source{v.File, v.Triton}]
		if !ok {
			i, files = len(files), append(files, nil)
			at[source{v.File, v.Triton}] = i
		}
		files[i] = append(files[i], v)
	}
	return files
}
