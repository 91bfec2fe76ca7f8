package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/cform"
)

// cName returns the beginning of names in C for a table.
func cName(table string) string {
	name := strings.TrimSuffix(filepath.Base(table), filepath.Ext(table))
	name = regexp.MustCompile(`\W`).ReplaceAllString(name, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// writeC writes what was built as C.
func (f *aotFlags) writeC(cmd *cobra.Command, built *aot.Built, name string) error {
	var data bytes.Buffer
	if _, err := built.Writer.WriteTo(&data); err != nil {
		return err
	}
	file, err := bundle.OpenBytes(data.Bytes())
	if err != nil {
		return err
	}
	files, left, err := cform.Write(f.c, name, file)
	if err != nil {
		return err
	}
	for _, err := range left {
		fmt.Fprintf(cmd.ErrOrStderr(), "nereid: left out: %v\n", err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s.h, %s.c and %d object files\n", f.c, name, name, len(files)-2)
	return nil
}
