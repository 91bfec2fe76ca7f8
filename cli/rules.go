package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/rules"
)

func newRulesCmd() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "rules [--data DATA.json] [NAME...]",
		Short: "Lists the thresholds by which the GPU compiler chooses",
		Long: "Lists the rules of the GPU compiler: thresholds that choose register goals, merged\n" +
			"programs, persistent kernels, depths of pipelines, TMA and more. With names, it says what\n" +
			"each decides and why. With --data, it adds what each is worth by the measurements of a file: the\n" +
			"mean time without the rule over that with it, on kernels that may choose its value and on\n" +
			"kernels held out.\n\n" +
			"NEREID_RULES=name=value,other=off changes rules for any command; nereid compile --explain\n" +
			"prints what rules decided for a kernel.",
		Example: "  nereid rules early-words spare-loop\n" +
			"  NEREID_RULES=early-words=off nereid bench --only softmax",
		RunE: func(cmd *cobra.Command, args []string) error {
			return listRules(cmd.OutOrStdout(), args, data)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "a file that nereid rules measure wrote")
	cmd.AddCommand(newRulesReplayCmd(), newRulesMeasureCmd())
	return cmd
}

func listRules(out io.Writer, names []string, path string) error {
	if err := checkNamed("rule", names, rules.Names()); err != nil {
		return err
	}
	var data *rules.Data
	if path != "" {
		var err error
		if data, err = readRules(path); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		for _, name := range names {
			showRule(out, rules.Lookup(name), data)
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	area := ""
	for _, r := range rules.All() {
		if r.Area != area {
			area = r.Area
			fmt.Fprintf(w, "%s\n", area)
		}
		fmt.Fprintf(w, "  %s\t%s %d\t%s%s\n", r.Name, r.Kind, r.Value, r.Unit, evidence(data, r, "\t"))
	}
	return w.Flush()
}

// showRule prints a rule with its reason.
func showRule(out io.Writer, r *rules.Rule, data *rules.Data) {
	off := "no: a number of an estimate"
	if r.Off != rules.NoOff {
		off = fmt.Sprint(r.Off)
	}
	fmt.Fprintf(out, "%s: %s %d %s\n  decides  %s\n  reason   %s\n  off      %s\n  test     %s\n",
		r.Name, r.Kind, r.Value, r.Unit, r.Decides, r.Reason, off, r.Test)
	if data != nil {
		fmt.Fprintf(out, "  evidence %s, commit %s%s\n", data.Chip, data.Commit, evidence(data, r, ": "))
	}
}

// evidence returns what a rule is worth by the data, after a separator; "" without data.
func evidence(data *rules.Data, r *rules.Rule, sep string) string {
	if data == nil {
		return ""
	}
	chosen, held := data.Effects(r.Name)
	if chosen.Kernels+held.Kernels == 0 {
		return sep + "no kernel's code depends on it"
	}
	return sep + strings.Join([]string{effectText("chosen by", chosen), effectText("held out", held)}, "; ")
}

func effectText(part string, e rules.Effect) string {
	if e.Kernels == 0 {
		return part + " 0"
	}
	return fmt.Sprintf("%s %d: %.3f (%.3f to %.3f, %d won, %d lost)", part, e.Kernels, e.Mean, e.Least,
		e.Most, e.Wins, e.Losses)
}

// readRules reads a data file.
func readRules(path string) (*rules.Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := rules.Read(io.LimitReader(f, maxInput))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

func newRulesReplayCmd() *cobra.Command {
	var set string
	cmd := &cobra.Command{
		Use:   "replay --set NAME=VALUE[,...] DATA.json",
		Short: "Shows what changed rules would decide otherwise, without a GPU",
		Long: "Evaluates rules with other values for the kernels of a file that nereid rules measure\n" +
			"wrote, from the quantities that it recorded. Prints each decision that changes, with the times of\n" +
			"the kernel where both outcomes were measured. A number that is part of an estimate decides\n" +
			"nothing by itself: kernels that asked for it are listed, and must be compiled again.",
		Example: "  nereid rules replay --set early-words=64,most-merged=off testdata/rules/h200.json",
		Args:    one("a data file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := rules.Parse(set)
			if err != nil {
				return usageError{err}
			}
			if s == nil {
				return usagef("--set: which rule? NAME=VALUE; nereid rules lists them")
			}
			data, err := readRules(args[0])
			if err != nil {
				return err
			}
			printChanges(cmd.OutOrStdout(), data, data.Replay(s))
			return nil
		},
	}
	cmd.Flags().StringVar(&set, "set", "", "rules with other values: NAME=VALUE,OTHER=off")
	return cmd
}

func printChanges(out io.Writer, data *rules.Data, list []rules.Change) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	kernels, held := map[string]bool{}, map[string]bool{}
	for _, c := range list {
		part := ""
		if kernels[c.Kernel] = true; c.Held {
			held[c.Kernel], part = true, "held out"
		}
		fmt.Fprintf(w, "%s\t%s=%d\tsaw %s\t%s -> %s\t%s\t%s\n", c.Kernel, c.Decision.Rule, c.Value,
			saw(c.Decision), c.Now, c.Then, timeOf(c), part)
	}
	w.Flush()
	fmt.Fprintf(out, "%d of %d launches are decided otherwise, %d of them held out\n", len(kernels),
		len(data.Kernels), len(held))
}

// saw returns the quantities that a rule saw.
func saw(d rules.Decision) string {
	if d.All != 0 {
		return fmt.Sprintf("%d of %d", d.N, d.All)
	}
	return fmt.Sprint(d.N)
}

// timeOf returns the times of both outcomes, where they were measured.
func timeOf(c rules.Change) string {
	switch t := c.Time; {
	case t == nil:
		return "not measured"
	case t.Same:
		return "the same code"
	case t.With > 0 && t.Without > 0:
		return fmt.Sprintf("%.2f -> %.2f µs", t.With, t.Without)
	}
	return "not measured"
}

// traced has a configuration record what rules decide.
func traced(conf *nereid.Config) (*rules.Trace, error) {
	s, err := rules.Parse(conf.Rules)
	if err != nil {
		return nil, err
	}
	set, trace := rules.NewTrace(s)
	conf.Rules = set.Text()
	return trace, nil
}

// explain prints the decisions of a trace.
func explain(out io.Writer, name string, list []rules.Decision) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s: decisions of %d rules\n", name, distinct(list))
	for _, d := range list {
		r := rules.Lookup(d.Rule)
		outcome := "no"
		switch {
		case r.Kind == rules.Number:
			outcome = "-"
		case r.Kind == rules.Cap:
			outcome = fmt.Sprint(min(d.N, int64(d.Value)))
		case d.Holds:
			outcome = "yes"
		}
		fmt.Fprintf(w, "  %s\t%s %d %s\tsaw %s%s\t%s\t%s\n", d.Rule, r.Kind, d.Value, r.Unit, saw(d),
			featureText(d), outcome, r.Decides)
	}
	w.Flush()
}

func featureText(d rules.Decision) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.Features)) {
		fmt.Fprintf(&b, ", %s %d", name, d.Features[name])
	}
	return b.String()
}

// distinct returns how many rules a list of decisions has.
func distinct(list []rules.Decision) int {
	seen := map[string]bool{}
	for _, d := range list {
		seen[d.Rule] = true
	}
	return len(seen)
}
