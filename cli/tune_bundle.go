package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
)

// tuneBundle tunes the op of a bundle's group for shapes, and keeps the results where programs find them.
func (f *tuneFlags) tuneBundle(cmd *cobra.Command, conf nereid.Config, args []string) error {
	x := &f.explore
	x.measureFlags = f.measureFlags
	if f.again || f.isolate || cmd.Flags().Changed("verify") || f.plot != "" {
		return usagef("--bundle goes without --again, --isolate, --verify and --plot")
	}
	store := conf.Tune.Store
	if store == nil {
		if conf.Tune.Dir == "" {
			return usagef("there is no folder of timings, the cache is off: name one with --dir")
		}
		var err error
		if store, err = nereid.OpenTuneStore(nereid.TuneStoreOptions{Dir: conf.Tune.Dir,
			ReadOnly: conf.Tune.ReadOnly}); err != nil {
			return err
		}
		defer store.Close()
	}
	src, err := x.source(contextOf(cmd), x.bundle, conf)
	if err != nil {
		return err
	}
	defer src.close()
	op, err := x.newOp(src, store)
	if err != nil {
		return err
	}
	var failed error
	for _, shape := range f.shapes {
		err := x.each(cmd, src, args, shape, func(s *nereid.Stream, c *exploreCall) error {
			list, err := op.Results(s, c)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s on %s, %s\n", op.Name(), src.dev, c.text())
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, r := range list {
				mark, what := " ", timeText(r.Median)
				if r.Picked {
					mark = "*"
				}
				if r.Failed != "" {
					what = printable(r.Failed)
				}
				fmt.Fprintf(w, "%s %s\t%s\n", mark, r.Candidate, what)
			}
			return w.Flush()
		})
		if contextOf(cmd).Err() != nil {
			return err
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
