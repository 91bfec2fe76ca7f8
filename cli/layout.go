package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/plot"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/view"
)

type layoutFlags struct {
	shape string
	bases bool
	plot  string
}

func newLayoutCmd() *cobra.Command {
	f := &layoutFlags{}
	cmd := &cobra.Command{
		Use:   "layout ENCODING --shape 16x32 | layout FILE.ttgir [ALIAS] [--shape 16x32]",
		Short: "Shows who owns what under a layout",
		Long: "Draws a tensor under an encoding of the ttg dialect, a cell for each element: the\n" +
			"warp (w), thread (t) and register (r) that hold it, the CTA (b) where there are several, or " +
			"its\n" +
			"offset in shared memory. Copies are listed. --plot draws the same to a PNG or SVG file,\n" +
			"coloured by thread, or by place modulo 32 in shared memory. With --bases it prints the\n" +
			"linear layout instead: what each bit of the inputs adds to the coordinates.\n\n" +
			"Encodings are #ttg.blocked, slice, dot_op, nvidia_mma, amd_mfma, amd_wmma, linear,\n" +
			"swizzled_shared, amd_rotating_shared and nvmma_shared; nereid compile --emit ttgir shows\n" +
			"those of a kernel. Of a file in TTGIR it lists all layouts with their shapes, or draws those\n" +
			"of an alias, '#blocked'.",
		Example: "  nereid layout '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], " +
			"warpsPerCTA = [2, 1], order = [1, 0]}>' --shape 8x32\n" +
			"  nereid layout '#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>' " +
			"--shape 8x32\n" +
			"  nereid compile kernels/softmax.py:softmax_kernel ... --emit ttgir -o out\n" +
			"  nereid layout out/softmax_kernel.ttgir '#blocked'",
		Args:                  named("a layout: '#ttg.blocked<{...}>', or a file: FILE.ttgir"),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case strings.HasSuffix(args[0], ".ttgir"):
				return f.file(cmd.OutOrStdout(), args[0], args[1:])
			case len(args) > 1:
				return usagef("name one layout, not %q", args)
			case f.shape == "":
				return usagef("say of which shape: --shape 16x32")
			}
			return f.run(cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&f.shape, "shape", "", "shape of the tensor, as in 16x32")
	cmd.Flags().BoolVar(&f.bases, "bases", false, "print basis vectors instead of a picture")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw to a PNG or SVG file")
	return cmd
}

func (f *layoutFlags) run(out io.Writer, text string) error {
	enc, err := ir.ParseAttr(text)
	if err != nil {
		return err
	}
	shape, err := parseShape(f.shape)
	if err != nil {
		return usageError{err}
	}
	l, err := ttglayout.For(enc, shape)
	if err != nil {
		return err
	}
	return f.show(out, text, enc, l)
}

// file lists the layouts of a file in TTGIR, or shows those of an alias.
func (f *layoutFlags) file(out io.Writer, name string, aliases []string) error {
	text, err := safefile.ReadNamed(name, maxInput)
	if err != nil {
		return err
	}
	list, err := view.Layouts(text)
	if err != nil {
		return err
	}
	if len(aliases) == 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, l := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Alias, shapeText(l.Shape), strings.Join(l.Elems, " "),
				summary(l.Attr, l.Linear))
		}
		return w.Flush()
	}
	var known []string
	shown := 0
	for _, l := range list {
		known = append(known, l.Alias)
		if !slices.Contains(aliases, l.Alias) && !slices.Contains(aliases, l.Text) ||
			f.shape != "" && f.shape != shapeText(l.Shape) {
			continue
		}
		if shown++; shown > 1 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s, %s: %s\n", l.Alias, shapeText(l.Shape), l.Text)
		if err := f.show(out, l.Text, l.Attr, l.Linear); err != nil {
			return err
		}
		if f.plot != "" { // one picture
			break
		}
	}
	if shown == 0 {
		slices.Sort(known)
		return usagef("%s has no layout %s of that shape: it has %s", name, strings.Join(aliases, ", "),
			strings.Join(slices.Compact(known), ", "))
	}
	return nil
}

func shapeText(shape []int64) string {
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, "x")
}

// show draws a layout, or prints its basis vectors.
func (f *layoutFlags) show(out io.Writer, text string, enc ir.Attr, l layout.Layout) error {
	if f.bases {
		fmt.Fprintln(out, strings.TrimPrefix(l.String(), "\n"))
		return nil
	}
	if l.TotalInBits() > 16 || l.TotalOutBits() > 16 {
		return usagef("%d elements are too many for a picture; use --bases", l.TotalOutSize())
	}
	if f.plot != "" {
		if err := drawLayout(f.plot, text, enc, l); err != nil {
			return err
		}
		fmt.Fprintln(out, summary(enc, l))
		return nil
	}
	fmt.Fprint(out, l.Picture())
	fmt.Fprintln(out, summary(enc, l))
	return nil
}

// drawLayout draws a layout to a file.
func drawLayout(file, title string, enc ir.Attr, l layout.Layout) error {
	format, err := plot.Format(file)
	if err != nil {
		return usageError{err}
	}
	dims := l.OutDims()
	g := plot.GridChart{Title: title, Cols: 1}
	if len(dims) > 0 {
		g.Cols = dims[len(dims)-1].Size
	}
	for _, o := range l.Owners() {
		g.Cells = append(g.Cells, layoutCell(o, ttg.IsShared(enc), l))
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	err = plot.Grid(out, format, g)
	if e := out.Close(); err == nil {
		err = e
	}
	return err
}

// layoutCell is the cell of an element: threads differ in hue, warps in lightness.
func layoutCell(o layout.Owner, shared bool, l layout.Layout) plot.Cell {
	if o.Copies == 0 {
		return plot.Cell{Text: [2]string{"-"}, Light: 0.95}
	}
	if shared {
		at := o.At[layout.Offset]
		return plot.Cell{Text: [2]string{strconv.Itoa(at)}, Hue: float64(at%32) / 32, Light: 0.8}
	}
	c := plot.Cell{Text: [2]string{fmt.Sprintf("t%d", o.At[layout.Lane]),
		fmt.Sprintf("r%d", o.At[layout.Register])}}
	if warps := l.InSize(layout.Warp); warps > 1 {
		c.Text[0] = fmt.Sprintf("w%d t%d", o.At[layout.Warp], o.At[layout.Lane])
		c.Light = 0.22 * float64(o.At[layout.Warp]) / float64(warps-1)
	}
	c.Hue, c.Light = float64(o.At[layout.Lane])/float64(l.InSize(layout.Lane)), 0.9-c.Light
	if o.Copies > 1 {
		c.Text[1] += fmt.Sprintf(" ×%d", o.Copies)
	}
	return c
}

// summary says how many of everything there are.
func summary(enc ir.Attr, l layout.Layout) string {
	if ttg.IsShared(enc) {
		return fmt.Sprintf("%d places", l.InSize(layout.Offset))
	}
	s := fmt.Sprintf("%d registers, %d threads, %d warps", l.InSize(layout.Register), l.InSize(layout.Lane),
		l.InSize(layout.Warp))
	if n := l.TotalInSize() / l.TotalOutSize(); n > 1 {
		s += fmt.Sprintf("; each element %d times", n)
	}
	return s
}

func parseShape(text string) ([]int64, error) {
	var shape []int64
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%q is no shape, such as 16x32", text)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
