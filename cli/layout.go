package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	_ "github.com/nereid-lang/nereid/internal/dialect/all"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

type layoutFlags struct {
	shape string
	bases bool
}

func newLayoutCmd() *cobra.Command {
	f := &layoutFlags{}
	cmd := &cobra.Command{
		Use:   "layout ENCODING --shape 16x32",
		Short: "Shows who owns what under a layout",
		Long: "Draws a tensor under an encoding of the ttg dialect, a cell for each element: the warp (w), thread (t) and\n" +
			"register (r) that hold it, the CTA (b) where there are several, or its offset in shared memory. Copies are\n" +
			"listed. With --bases it prints the linear layout instead: what each bit of the inputs adds to the coordinates.",
		Example: "  nereid layout '#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>' --shape 8x32\n" +
			"  nereid layout '#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>' --shape 8x32",
		Args:                  cobra.ExactArgs(1),
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, args []string) error { return f.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&f.shape, "shape", "", "shape of the tensor, as in 16x32")
	cmd.Flags().BoolVar(&f.bases, "bases", false, "print basis vectors instead of a picture")
	cmd.MarkFlagRequired("shape")
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
	if f.bases {
		fmt.Fprintln(out, strings.TrimPrefix(l.String(), "\n"))
		return nil
	}
	if l.TotalInBits() > 16 || l.TotalOutBits() > 16 {
		return usagef("%s is too large for a picture; use --bases", f.shape)
	}
	fmt.Fprint(out, l.Picture())
	fmt.Fprintln(out, summary(enc, l))
	return nil
}

// summary says how many of everything there are.
func summary(enc ir.Attr, l layout.Layout) string {
	if ttg.IsShared(enc) {
		return fmt.Sprintf("%d places", l.InSize(layout.Offset))
	}
	s := fmt.Sprintf("%d registers, %d threads, %d warps", l.InSize(layout.Register), l.InSize(layout.Lane), l.InSize(layout.Warp))
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
