package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newVersionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Prints the version of nereid, of Go, and the platform",
		Example: "  nereid version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), buildText())
			return nil
		},
	}
}

// buildText returns the version of nereid, of Go, and the platform on one line.
func buildText() string {
	info, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("nereid %s %s %s/%s", version(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is what the Go toolchain recorded of the build: a release, or else the commit, or else "(devel)".
func version(info *debug.BuildInfo) string {
	if info == nil {
		return "(unknown)"
	}
	for _, d := range info.Deps { // of a program with more back ends, which is another module
		if d.Path == "github.com/nereid-lang/nereid" {
			return d.Version
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	rev := settings["vcs.revision"]
	if rev == "" {
		return "(devel)"
	}
	var b strings.Builder
	b.WriteString(rev[:min(12, len(rev))])
	if settings["vcs.modified"] == "true" {
		b.WriteString("+dirty")
	}
	return b.String()
}
