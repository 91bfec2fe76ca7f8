package pass

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid/internal/ir"
)

// A reproducer is the IR before the pass that failed, under comments that say what to run and what happened:
//
//	// nereid-reproducer: canonicalize,cse
//	// canonicalize: ...
//	module { ... }

const reproducerMark = "// nereid-reproducer: "

// writeReproducer writes the module as it was before the first of the remaining passes, and returns the
// file's name.
func writeReproducer(dir string, before *ir.Module, rest []Pass, cause error,
	opts ir.PrintOptions) (string, error) {
	var b bytes.Buffer
	b.WriteString(reproducerMark + Names(rest) + "\n")
	for line := range strings.Lines(cause.Error()) {
		b.WriteString("// " + strings.TrimSuffix(line, "\n") + "\n")
	}
	opts.Locs = true
	if err := ir.Print(&b, before.Op, opts); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, rest[0].Name+"-*.mlir")
	if err != nil {
		return "", err
	}
	_, err = f.Write(b.Bytes())
	return filepath.ToSlash(f.Name()), errors.Join(err, f.Close())
}

// ReproducerPasses returns the pipeline that the text of a reproducer asks for, of passes in a list.
func ReproducerPasses(all []Pass, text []byte) ([]Pass, error) {
	for line := range bytes.Lines(text) {
		s := strings.TrimSpace(string(line))
		if names, ok := strings.CutPrefix(s, strings.TrimSpace(reproducerMark)); ok {
			return Parse(all, names)
		}
		if s != "" && !strings.HasPrefix(s, "//") {
			break
		}
	}
	return nil, fmt.Errorf("the file is no reproducer: it has no comment %q",
		strings.TrimSpace(reproducerMark))
}
