package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/backend"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/llvm/llvmtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func TestMain(m *testing.M) {
	if signal.Ignored(os.Interrupt) {
		// As in a shell's background jobs. Programs that scripts run would ignore them, too.
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	nereid := func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
	testscript.Main(m, map[string]func(){"nereid": nereid, "nereid-toy": func() {
		backend.Register(toy{})
		nereid()
	}})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("NEREID_CACHE_DIR", e.Getenv("WORK")+"/.cache")
			e.Setenv("REPO", txtest.Root(t))
			e.Setenv(llvmtest.Folder, os.Getenv(llvmtest.Folder))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "llvm" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			_, err := llvm.Load()
			return err == nil, nil
		},
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") == "1",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "forge": forge,
			"damage": damage, "patient": patient},
	})
}

// damage is the script command `damage FILE`: the last byte becomes another.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	file := ts.MkAbs(args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	data[len(data)-1] ^= 0xff
	ts.Check(os.WriteFile(file, data, 0o600))
}

// patient is the script command `patient LINE COMMAND ARG…`: it runs the command with LIMIT in its
// arguments replaced by longer and longer durations, until a line of its output begins with LINE: a loaded
// machine needs a longer one.
func patient(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: patient LINE COMMAND ARG…")
	}
	for _, limit := range []string{"400ms", "4s", "40s"} {
		words := slices.Clone(args[1:])
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "LIMIT", limit)
		}
		err := ts.Exec(words[0], words[1:]...)
		if err == nil && strings.Contains("\n"+ts.ReadFile("stdout"), "\n"+args[0]) {
			return
		}
		ts.Logf("within %s: %v", limit, err)
	}
	ts.Fatalf("%q: no line begins with %q", args[1:], args[0])
}

// exits is the script command `exits CODE COMMAND ARG…`: the command must end with that very exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG…")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = strconv.Itoa(exit.ExitCode())
	}
	if got != args[0] {
		ts.Fatalf("%q: exit code %s, want %s", args[1:], got, args[0])
	}
}

// TestExit has a command fail in each way that there is: the message comes once, with the right exit code.
func TestExit(t *testing.T) {
	files := diag.NewFileSet()
	src := files.AddFile("k.py", []byte("x = \n"))
	diags := &diag.List{Files: files}
	diags.Errorf(diag.At(src.Pos(4)), "syntax", "expected an expression")

	for _, c := range []struct {
		name   string
		err    error
		code   int
		stderr string
	}{
		{"success", nil, exitOK, ""},
		{"failure", errors.New("no device"), exitFailed, "nereid: no device\n"},
		{"already said", errReported, exitFailed, ""},
		{"wrapped", fmt.Errorf("3 cases: %w", errReported), exitFailed, ""},
		{"usage", usagef("no kernel %q", "f"), exitUsage,
			"nereid: no kernel \"f\"\nRun 'nereid try --help' for usage.\n"},
		{"usage, of the API", usageError{errors.New("nereid: no target")}, exitUsage,
			"nereid: no target\nRun 'nereid try --help' for usage.\n"},
		{"diagnostics", diags, exitFailed, "k.py:1:5: error: expected an expression [syntax]\n    x = \n" +
			"        ^\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := newRootCmd()
			root.AddCommand(&cobra.Command{Use: "try", RunE: func(*cobra.Command, []string) error {
				return c.err
			}})
			var out, errs strings.Builder
			if code := execute(root, []string{"try"}, strings.NewReader(""), &out, &errs); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if d := cmp.Diff(c.stderr, errs.String()); d != "" {
				t.Errorf("stderr (-want +got):\n%s", d)
			}
			if out.Len() > 0 {
				t.Errorf("stdout: %q", &out)
			}
		})
	}
}

func TestVersion(t *testing.T) {
	setting := func(kv ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(kv); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: kv[i], Value: kv[i+1]})
		}
		return info
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, "(unknown)"},
		{setting(), "(devel)"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}}, "v0.2.0"},
		{&debug.BuildInfo{Main: debug.Module{Version: "v7.0.0"}, Deps: []*debug.Module{
			{Path: "github.com/nereid-lang/nereid", Version: "v0.3.0"}}}, "v0.3.0"},
		{setting("vcs.revision", "0123456789abcdef"), "0123456789ab"},
		{setting("vcs.revision", "0123456789abcdef", "vcs.modified", "true"), "0123456789ab+dirty"},
	} {
		if got := version(c.info); got != c.want {
			t.Errorf("version(%v) = %q, want %q", c.info, got, c.want)
		}
	}
}
