package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/cform"
	"github.com/nereid-lang/nereid/internal/rule"
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

// form returns what was built as C.
func (f *aotFlags) form(cmd *cobra.Command, built *aot.Built, name string) (*cform.Form, error) {
	o := cform.Options{Launch: map[string]rule.Launch{}, ONNX: f.onnx, Operators: f.operators}
	for _, v := range f.variants {
		o.Order = append(o.Order, v.Name)
		o.Launch[v.Name] = v.Launch
	}
	var data bytes.Buffer
	if _, err := built.Writer.WriteTo(&data); err != nil {
		return nil, err
	}
	file, err := bundle.OpenBytes(data.Bytes())
	if err != nil {
		return nil, err
	}
	form, err := cform.New(name, file, o)
	if err != nil {
		return nil, err
	}
	for _, err := range form.Left {
		fmt.Fprintf(cmd.ErrOrStderr(), "nereid: left out: %v\n", err)
	}
	return form, nil
}

// writeC writes what was built as C.
func (f *aotFlags) writeC(cmd *cobra.Command, built *aot.Built, name string) error {
	form, err := f.form(cmd, built, name)
	if err != nil {
		return err
	}
	files, err := form.Write(f.c)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s.h, %s.c and %d object files\n", f.c, name, name, len(files)-2)
	return nil
}

// writeLibrary writes what was built as a shared library with its header.
func (f *aotFlags) writeLibrary(cmd *cobra.Command, built *aot.Built) error {
	form, err := f.form(cmd, built, cform.LibraryName(f.library))
	if err != nil {
		return err
	}
	header, err := form.Link(contextOf(cmd), f.library)
	if err != nil {
		return errors.Join(fmt.Errorf("%s was not written", f.library), err)
	}
	info, err := os.Stat(f.library)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %d entries, %s; %s\n", f.library, built.Stats.Variants,
		sizeText(info.Size()), header)
	return nil
}
