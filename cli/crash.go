package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// maxCrashFile bounds the files that a crash report takes along.
const maxCrashFile = 4 << 20

// crashed reports a panic, a fault of ours: the report names a folder with what is needed to see it again.
func crashed(stderr io.Writer, args []string, panicked any, stack []byte) {
	fmt.Fprintf(stderr, "nereid: internal error: %v\n", panicked)
	dir, err := writeCrash(args, panicked, stack)
	if err != nil {
		fmt.Fprintf(stderr, "%s\nno reproducer: %v\n", stack, err)
		return
	}
	fmt.Fprintf(stderr, "This is a fault of nereid. A report with the command line, its files and the "+
		"stack is in\n%s\n", dir)
}

// writeCrash writes report.txt and the files that the command line names to a new folder.
func writeCrash(args []string, panicked any, stack []byte) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "nereid-crash-"); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\npanic: %v\n\nTo see it again, in this folder:\n    nereid", buildText(), panicked)
	for _, a := range args {
		fmt.Fprintf(&b, " %s", quoteArg(keepFile(dir, a)))
	}
	b.WriteString("\n\nEnvironment:\n")
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "NEREID_") && !strings.HasPrefix(v, "NEREID_CACHE_KEY=") { // which is secret
			fmt.Fprintf(&b, "    %s\n", v)
		}
	}
	fmt.Fprintf(&b, "\n%s", stack)
	return dir, os.WriteFile(filepath.Join(dir, "report.txt"), []byte(b.String()), 0o600)
}

// keepFile copies the file that an argument names to the folder, and returns the argument for the copy. An
// argument that names none is returned as it is.
func keepFile(dir, arg string) string {
	file, kernel, named := cutKernel(arg)
	text, err := safefile.ReadNamed(file, maxCrashFile)
	if err != nil || os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600) != nil {
		return arg
	}
	if named {
		return filepath.Base(file) + ":" + kernel
	}
	return filepath.Base(file)
}

// quoteArg returns an argument as a shell takes it.
func quoteArg(arg string) string {
	if arg != "" && !strings.ContainsAny(arg, " \t\n'\"\\$`*?[](){}<>|&;#~!") {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// recovered runs f and turns a panic into the exit code of an internal error.
func recovered(stderr io.Writer, args []string, f func() int) (code int) {
	defer func() {
		if r := recover(); r != nil {
			crashed(stderr, args, r, debug.Stack())
			code = exitInternal
		}
	}()
	return f()
}
