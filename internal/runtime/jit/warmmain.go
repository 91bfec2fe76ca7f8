package jit

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// WarmMain is a hook for the main function of a program. If the environment variable NEREID_WARM names a
// manifest, it compiles the manifest's variants of these modules into their cache, for the device in
// NEREID_DEVICE or the best one, prints a line for each, and ends the process. Otherwise it does nothing.
//
// Compiled kernels belong to a build of the compiler: a release of this module, or the sources of a checkout.
// What a `nereid warm` of another build compiles is therefore of no use to a program;
// `nereid warm MANIFEST --program ./prog` has the program do it.
func WarmMain(mods ...*Module) {
	file := knob.Warm.Get()
	if file == "" {
		return
	}
	failed, err := warmAll(os.Stdout, file, mods)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
	os.Exit(0)
}

// warmAll compiles the variants of a manifest and reports how many failed.
func warmAll(out io.Writer, file string, mods []*Module) (failed int, err error) {
	list, err := ReadManifest(file)
	if err != nil {
		return 0, err
	}
	dev, err := core.OpenDevice("")
	if err != nil {
		return 0, err
	}
	passed := 0
	caches := map[*Cache]bool{}
	for _, m := range mods {
		if err := m.usable(); err != nil {
			return 0, err
		}
		mine := m.variants(list.Variants)
		if len(mine) == 0 {
			continue
		}
		if m.conf.Cache == nil {
			return 0, fmt.Errorf("nereid: what is compiled of %s would not be kept: its configuration has "+
				"no cache", m.src.Name)
		}
		caches[m.conf.Cache] = true
		// which tells of every error
		_ = m.Warmup(context.Background(), dev, mine, func(_, _ int, v Variant, err error) {
			if err != nil {
				failed++
				fmt.Fprintf(out, "FAIL %s: %v\n", v, err)
				return
			}
			passed++
			fmt.Fprintf(out, "ok %s\n", v)
		})
	}
	for c := range caches {
		c.Close()
	}
	if passed+failed == 0 {
		return 0, fmt.Errorf("nereid: none of the %d variants in %s is of a module of this program",
			len(list.Variants), file)
	}
	fmt.Fprintf(out, "%d passed, %d failed, for the build %s\n", passed, failed,
		cache.BuildText(cache.Build()))
	return failed, nil
}
