package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/certify"
	"github.com/nereid-lang/nereid/internal/dtype"
)

func newVerifyCmd() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "verify FILE.py:KERNEL [NAME=VALUE]... | verify CASE.safetensors...",
		Short: "Compares a kernel's compiled code with its source, without a tolerance",
		Long: "Compiles a kernel for a simulated device and compares what its code leaves in memory with\n" +
			"what the source leaves in the interpreter, bit for bit. Floats are elements of a finite\n" +
			"ring, in which sums and products are exact in every order: a wrong index, a term that is\n" +
			"lost or counted twice cannot hide in rounding. Functions such as exp are fixed random\n" +
			"functions.\n\n" +
			"Arguments and grid are those of nereid run. Launches that peer/capture.py or peer/dry.py\n" +
			"recorded have theirs.",
		Example: "  nereid verify kernels/vector_add.py:add_kernel n_elements=1000 BLOCK_SIZE=128 \\\n" +
			"      --grid 'cdiv(n_elements, BLOCK_SIZE)' --device sim:gfx942\n" +
			"  nereid verify --device sim:90,sim:gfx942 testdata/replay/*.safetensors",
		Args: named("a kernel: FILE.py:KERNEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if areCases(args) {
				return f.verifyCases(cmd, args)
			}
			return f.verify(cmd, args)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.grid, "grid", "1", "programs, as numbers or expressions separated by commas")
	fs.StringVar(&f.device, "device", "sim:90", "simulated devices, separated by commas")
	fs.StringVar(&f.input.signature, "signature", "",
		"types of the arguments, as nereid compile takes them: constants are values, pointers tensors")
	f.input.add(cmd)
	fs.StringSliceVar(&f.roots, "root", nil, "more folders in which imports are found")
	f.env.add(fs)
	fs.IntVar(&f.opts.NumWarps, "num-warps", 0, "warps of a program (default 4)")
	fs.IntVar(&f.opts.NumStages, "num-stages", 0, "stages of software pipelining (default 3, on hip 2)")
	fs.IntVar(&f.opts.NumCTAs, "num-ctas", 0, "blocks of a program, a cluster (default 1)")
	addCodeFlags(fs, &f.opts)
	return cmd
}

func (f *runFlags) verify(cmd *cobra.Command, args []string) error {
	k, err := loadKernel(args[0], nereid.Roots(f.roots...), f.env.load(), nereid.With(configOf(cmd)))
	if err != nil {
		return err
	}
	judge, err := loadKernel(args[0], nereid.Roots(f.roots...), f.env.load(),
		nereid.With(quietConfig()))
	if err != nil {
		return err
	}
	r := &runner{flags: f, ctx: contextOf(cmd), k: k, judge: judge, out: cmd.OutOrStdout()}
	if err := r.read(args[1:]); err != nil {
		return err
	}
	f.opts.Certify = true
	for _, t := range r.in.tensors {
		certify.Prepare(dtype.Type(t.dtype), t.data)
	}
	want, err := r.judged()
	if err != nil {
		return err
	}
	failed := false
	for name := range strings.SplitSeq(f.device, ",") {
		if r.dev, err = nereid.OpenDevice(name); err != nil {
			return err
		}
		got, err := r.once(r.dev, r.k)
		if err != nil {
			return err
		}
		failed = r.report(want, got) || failed
	}
	if failed {
		return errReported
	}
	return nil
}

// report prints the comparison of a device with the source, and reports whether they differ.
func (r *runner) report(want, got *result) (failed bool) {
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintf(w, "kernel %s, grid %s, %s: %s\n", r.k.Name(), gridText(r.gridSize), r.dev, r.in)
	for _, t := range r.in.tensors {
		d := dtype.Type(t.dtype)
		before, source, code := t.data, want.mem[t.name], got.mem[t.name]
		if before == nil {
			before = make([]byte, len(source))
		}
		o := certify.Compare(d, before, source, code)
		switch {
		case o.Different > 0:
			failed = true
			fmt.Fprintf(w, "%s\tDIFFERS in %d of %d elements, first at %d: %s\n", t.name, o.Different,
				o.Elements, o.First, certify.Describe(d, source, code, o.First))
		case o.Changed > 0 && o.Special == o.Changed:
			failed = true
			fmt.Fprintf(w, "%s\tcannot be certified: %s\n", t.name, o.Empty())
		case o.Changed > 0:
			fmt.Fprintf(w, "%s\tequal: %s\n", t.name, o)
		}
	}
	return failed
}
