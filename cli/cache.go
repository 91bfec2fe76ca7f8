package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/knob"
)

func newCacheCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Shows and keeps the cache of compiled kernels",
		Long: "The cache of compiled kernels: NEREID_CACHE_DIR, or `nereid` in the user's cache folder.\n" +
			"A kernel is named by its key or by as much of its beginning as is unique.",
		Example: "  nereid cache ls",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	dir := cmd.PersistentFlags().String("dir", "", "folder of the cache (default: that of launches)")
	open := func() (*cache.Store, error) {
		if *dir == "" {
			c, err := nereid.OpenCache(nereid.CacheOptions{})
			if err != nil {
				return nil, err
			}
			*dir = c.Dir()
		}
		s := cache.Open(cache.Options{
			Dir: *dir, ReadOnly: knob.Cache.Get() == "readonly", Limit: knob.CacheSize.Get(),
			Secret: knob.CacheKey.Get(),
		})
		return s, s.Check()
	}
	for _, sub := range []func(opener) *cobra.Command{cacheLs, cacheShow, cacheVerify, cachePrune,
		cacheExport, cacheImport, cacheClear} {
		cmd.AddCommand(sub(open))
	}
	return cmd
}

// opener opens the store that the flags name.
type opener func() (*cache.Store, error)

// list is the entries whose keys begin with one of the prefixes; all, where there is none.
func (o opener) list(prefixes []string) (*cache.Store, []cache.Item, error) {
	s, err := o()
	if err != nil {
		return nil, nil, err
	}
	all, err := s.List()
	if err != nil || len(prefixes) == 0 {
		return s, all, err
	}
	var out []cache.Item
	for _, p := range prefixes {
		n := len(out)
		for _, it := range all {
			if strings.HasPrefix(it.Key.String(), p) {
				out = append(out, it)
			}
		}
		if len(out) == n {
			return nil, nil, fmt.Errorf("no kernel in %s begins with %q", s.Dir(), p)
		}
	}
	return s, out, nil
}

func cacheLs(open opener) *cobra.Command {
	return &cobra.Command{
		Example: "  nereid cache ls\n  nereid cache ls softmax",
		Use:     "ls [KEY…]", Short: "Lists kernels, the most recently used first",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, list, err := open.list(args)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			if len(list) > 0 {
				fmt.Fprintln(w, "KEY\tSIZE\tUSED\tTARGET\tOPTIONS\tSIGNATURE")
			}
			var total int64
			for _, it := range list {
				total += it.Size
				e, err := it.Describe() // all of them would be much to read
				if err != nil {
					fmt.Fprintf(w, "%s\t%s\t%s\t%v\n", short(it.Key), sizeText(it.Size), ago(it.Used), err)
					continue
				}
				target, signature := printable(e.Target), printable(e.Signature)
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", short(it.Key), sizeText(it.Size), ago(it.Used),
					target, optionsText(e.Options), signature)
			}
			w.Flush()
			fmt.Fprintf(cmd.OutOrStdout(), "%d kernels, %s in %s\n", len(list), sizeText(total), s.Dir())
			return nil
		},
	}
}

// optionsText returns the options of an entry that are not the default: "num_warps=8".
func optionsText(options []byte) string {
	var o map[string]any
	if json.Unmarshal(options, &o) != nil {
		return "?"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		v := o[name]
		usual := map[string]any{"num_warps": 4.0, "num_stages": 3.0, "num_ctas": 1.0}
		if v != usual[name] && v != false && v != 0.0 && v != "" {
			parts = append(parts, printable(fmt.Sprintf("%s=%v", name, v)))
		}
	}
	return cmp.Or(strings.Join(parts, ","), "-")
}

// printable returns a text of somebody else's without the characters that a terminal obeys.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// short is as much of a key as people need.
func short(k cache.Key) string {
	s := k.String()
	return s[:len(s)-len(k.Hash)+12]
}

func ago(t time.Time) string {
	switch d := time.Since(t); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
}

func cacheShow(open opener) *cobra.Command {
	return &cobra.Command{
		Example: "  nereid cache show softmax_kernel-3f\n  nereid cache show softmax_kernel-3f llir",
		Use:     "show KEY [STAGE]", Short: "Shows what a kernel was compiled from and for, or one of " +
			"its stages",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, list, err := open.list(args[:1])
			if err != nil {
				return err
			}
			if len(list) > 1 {
				return usagef("%d kernels begin with %q; give more of the key", len(list), args[0])
			}
			e, err := list[0].Load()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				showEntry(cmd.OutOrStdout(), e)
				return nil
			}
			data := e.Stage(args[1])
			if data == nil {
				return usagef("the kernel has no stage %q: it has %s", args[1],
					strings.Join(stageNames(e), ", "))
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
}

func stageNames(e *cache.Entry) (names []string) {
	for _, s := range e.Stages {
		names = append(names, s.Name)
	}
	return names
}

func showEntry(w io.Writer, e *cache.Entry) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer t.Flush()
	for _, row := range [][2]string{
		{"key", e.Key.String()}, {"kernel", e.Key.Kernel}, {"target", e.Target}, {"signature", e.Signature},
		{"options", compact(e.Options)}, {"compiler", e.Compiler}, {"generator", e.Generator},
	} {
		fmt.Fprintf(t, "%s\t%s\n", row[0], printable(row[1]))
	}
	for _, s := range e.Stages {
		kind := "text"
		if s.Binary() {
			kind = "binary"
		}
		if s.Name == e.Code {
			kind += ", runs"
		}
		fmt.Fprintf(t, "%s\t%s, %s\n", s.Name, sizeText(int64(s.Size)), kind)
	}
}

// compact is JSON on one line.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

func cacheVerify(open opener) *cobra.Command {
	return &cobra.Command{
		Example: "  nereid cache verify",
		Use:     "verify [KEY…]", Short: "Reads and checks every kernel; damaged ones are removed",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, list, err := open.list(args)
			if err != nil {
				return err
			}
			bad := 0
			for _, it := range list {
				if _, err := it.Load(); err != nil {
					bad++
					fmt.Fprintf(cmd.OutOrStdout(), "%s: %v\n", it.Key, err)
					if err := s.Remove(it); err != nil {
						fmt.Fprintf(cmd.OutOrStdout(), "  not removed: %v\n", err)
					}
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d whole, %d damaged\n", len(list)-bad, bad)
			if bad > 0 {
				return errReported
			}
			return nil
		},
	}
}

func cachePrune(open opener) *cobra.Command {
	var size string
	var age time.Duration
	cmd := &cobra.Command{
		Example: "  nereid cache prune --max-size 512MiB --older 720h",
		Use:     "prune", Short: "Makes room: what was used longest ago goes first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := open()
			if err != nil {
				return err
			}
			limit := knob.CacheSize.Get()
			if size != "" {
				if limit, err = knob.ParseSize(size); err != nil {
					return usagef("--max-size: %v", err)
				}
			}
			removed, freed, err := s.Prune(limit, age)
			fmt.Fprintf(cmd.OutOrStdout(), "%d kernels removed, %s freed\n", removed, sizeText(freed))
			return err
		},
	}
	cmd.Flags().StringVar(&size, "max-size", "",
		"keep at most this much, 512MiB say; 0: no limit (default: NEREID_CACHE_SIZE, or 4GiB)")
	cmd.Flags().DurationVar(&age, "older", 0, "remove what was not used for so long, 720h say")
	return cmd
}

func cacheExport(open opener) *cobra.Command {
	return &cobra.Command{
		Example: "  nereid cache export kernels.tar.gz softmax",
		Use:     "export FILE.tar.gz [KEY…]", Short: "Writes kernels to an archive, for other machines",
		Args: named("an archive: FILE.tar.gz"), RunE: func(cmd *cobra.Command, args []string) error {
			s, list, err := open.list(args[1:])
			if err != nil {
				return err
			}
			f, err := os.Create(args[0])
			if err != nil {
				return err
			}
			n, err := s.Export(f, list)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d kernels written to %s\n", n, args[0])
			return nil
		},
	}
}

func cacheImport(open opener) *cobra.Command {
	return &cobra.Command{
		Example: "  nereid cache import kernels.tar.gz",
		Use:     "import FILE.tar.gz", Short: "Takes the kernels of an archive over",
		Args: one("an archive: FILE.tar.gz"), RunE: func(cmd *cobra.Command, args []string) error {
			s, err := open()
			if err != nil {
				return err
			}
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			done, err := s.Import(f)
			fmt.Fprintf(cmd.OutOrStdout(), "%d kernels taken over, %d refused\n", done.Taken, done.Refused)
			if done.Why != nil {
				fmt.Fprintf(cmd.OutOrStdout(), "the first that was refused is %v\n", done.Why)
			}
			return err
		},
	}
}

func cacheClear(open opener) *cobra.Command {
	return &cobra.Command{
		Example: "  nereid cache clear --dir /tmp/kernels",
		Use:     "clear", Short: "Removes every kernel", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := open()
			if err != nil {
				return err
			}
			n, err := s.Clear()
			fmt.Fprintf(cmd.OutOrStdout(), "%d kernels removed\n", n)
			return err
		},
	}
}
