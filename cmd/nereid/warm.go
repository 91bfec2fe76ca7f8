package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
)

func newWarmCmd() *cobra.Command {
	var device, root string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "warm MANIFEST.json",
		Short: "Compiles the kernels of a manifest ahead of time",
		Long: "Compiles every variant that a manifest lists, several at once, into the cache: processes that share it compile nothing. A program\n" +
			"writes a manifest of what it launches with NEREID_RECORD=MANIFEST.json, or with nereid.Recorder.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := nereid.ReadManifest(args[0])
			if err != nil {
				return err
			}
			dev, err := nereid.Open(device)
			if err != nil {
				return err
			}
			return warm(cmd, m, dev, root, quiet)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&device, "device", "", "device to compile for (default: the best one here)")
	fs.StringVar(&root, "root", "", "folder of the kernels' files, where the manifest's names are not right from here")
	fs.BoolVarP(&quiet, "quiet", "q", false, "print failures and the total only")
	return cmd
}

// warm compiles file by file.
func warm(cmd *cobra.Command, m *nereid.Manifest, dev *nereid.Device, root string, quiet bool) error {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	out := cmd.OutOrStdout()
	cache := nereid.EnvCache()
	passed, failed := 0, 0
	for _, file := range filesOf(m) {
		mod, err := loadNamed(file, root, cache)
		if err != nil {
			return err
		}
		mod.Warmup(ctx, dev, m.Variants, func(_, _ int, v nereid.Variant, err error) { // which tells of every error
			switch {
			case err != nil:
				failed++
				fmt.Fprintf(out, "FAIL %s: %v\n", v, err)
			default:
				passed++
				if !quiet {
					fmt.Fprintf(out, "ok %s\n", v)
				}
			}
		})
	}
	fmt.Fprintf(out, "%d passed, %d failed", passed, failed)
	if cache != nil {
		s := cache.Stats()
		fmt.Fprintf(out, "; %d compiled, %d in the cache already", s.Compiled, s.Disk+s.Shared)
		cache.Close()
	}
	fmt.Fprintln(out)
	if failed > 0 {
		return errReported
	}
	return nil
}

// loadNamed loads a file under the name that the manifest has for it.
func loadNamed(file, root string, cache *nereid.Cache) (*nereid.Module, error) {
	conf := nereid.EnvConfig()
	conf.Cache, conf.Strict, conf.Record = cache, false, nil
	if root == "" {
		return nereid.Load(filepath.FromSlash(file), nereid.With(conf))
	}
	return nereid.LoadFS(os.DirFS(root), file, nereid.With(conf))
}

// filesOf are the files of a manifest, each once.
func filesOf(m *nereid.Manifest) (files []string) {
	seen := map[string]bool{}
	for _, v := range m.Variants {
		if !seen[v.File] {
			seen[v.File] = true
			files = append(files, v.File)
		}
	}
	return files
}
