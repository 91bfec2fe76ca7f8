package cli

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/internal/triton"
)

// emitJSON is the word of --emit for the description of a launch.
const emitJSON = "json"

// addCodeFlags adds the flags of options that Triton has for the code itself.
func addCodeFlags(fs *pflag.FlagSet, o *nereid.Options) {
	fs.BoolFunc("enable-fp-fusion", "whether a product and a sum may be fused (default true)",
		func(text string) error {
			on, err := strconv.ParseBool(text)
			o.NoFPFusion = !on
			return err
		})
	fs.IntVar(&o.MaxNReg, "maxnreg", 0, "registers of a thread, at most (default: no limit)")
	fs.StringVar(&o.ExternLibs, "extern-libs", "", "LLVM bitcode to link in: NAME=FILE.bc,NAME=FILE.bc")
}

// addDebug adds the flag of Triton's debug.
func addDebug(fs *pflag.FlagSet, o *nereid.Options) {
	fs.BoolFunc("debug", "keep device_assert and check integer overflow", func(text string) error {
		on, err := strconv.ParseBool(text)
		if o.Debug = nereid.DebugOff; on {
			o.Debug = nereid.DebugOn
		}
		return err
	})
}

// assemblyStage returns the stage of a target's compilations that is text for its assembler, "ptx" where
// there is none.
func assemblyStage(target string) string {
	for _, s := range jit.StagesOf(target) {
		if s == "amdgcn" {
			return s
		}
	}
	return "ptx"
}

// until returns the stage at which a compilation ends whose stages are asked for; "" means all.
func until(emit []string, target string) string {
	stages := jit.StagesOf(target)
	if stages == nil { // the file will name it
		stages = []string{"source", "ttir", "ttgir", "linalg", "llir", "ptx", "cubin", "asm"}
	}
	last := ""
	for _, e := range emit {
		switch {
		case e == emitJSON:
		case e == "cubin": // the only code that is not made unless it is asked for
			return e
		case slices.Index(stages, e) < 0 && !slices.Contains(codeForms, e):
			return e // the compiler says what there is
		case last == "" || slices.Index(stages, e) > slices.Index(stages, last):
			last = e
		}
	}
	if slices.Contains(emit, emitJSON) || slices.Contains(codeForms, last) {
		return ""
	}
	return last
}

// codeForms are forms of code that are no stage by name.
var codeForms = []string{"obj"}

// compileStage goes on from a file with a stage of a kernel. The description that --emit json wrote is found
// beside it, under the same name.
func (f *compileFlags) compileStage(cmd *cobra.Command, file, kernel string, args []string) error {
	if len(args) > 0 || f.input.signature != "" {
		return usagef("%s has its types already: give neither --signature nor arguments", file)
	}
	text, err := safefile.ReadNamed(file, maxInput)
	if err != nil {
		return err
	}
	in := nereid.StageText{Name: file, Text: text, Kernel: kernel, Shared: f.shared}
	beside := strings.TrimSuffix(file, "."+nereid.StageOf(file)) + "." + emitJSON
	if _, err := os.Stat(beside); err == nil {
		if in.Description, err = safefile.ReadNamed(beside, maxInput); err != nil {
			return err
		}
	}
	target := ""
	if cmd.Flags().Changed("target") {
		target = f.target
	}
	if !cmd.Flags().Changed("emit") {
		f.emit = ""
	}
	emit := slices.DeleteFunc(strings.Split(f.emit, ","), func(e string) bool { return e == "" })
	c, err := nereid.CompileStage(contextOf(cmd), target, in, f.opts, until(emit, target))
	if err != nil {
		return err
	}
	if len(emit) == 0 {
		emit = []string{c.Stages[len(c.Stages)-1].Name}
	}
	if f.output == "" {
		f.output = "-"
	}
	name, _, _ := strings.Cut(baseName(file), ".")
	if f.text, err = triton.Parse(cmp.Or(f.emitFor, knob.Triton.Get())); err != nil {
		return err
	}
	return f.emitAll(cmd, name, c, emit)
}

func baseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// tritonStages are the stages whose text differs between releases of Triton.
var tritonStages = []string{"source", "ttir", "ttgir"}

// emitAll writes the stages that were asked for, and the description of the launch.
func (f *compileFlags) emitAll(cmd *cobra.Command, name string, c *nereid.Compiled, emit []string) error {
	out := cmd.OutOrStdout()
	if f.timing {
		printTiming(out, name, c.Stages)
		f.count(c.Stages)
	}
	for _, want := range emit {
		st := nereid.Stage{Name: want}
		if want == emitJSON {
			text, err := c.LaunchInfo()
			if err != nil {
				return err
			}
			st.Text = text
		} else if st.Text = c.Stage(want); st.Text == nil {
			return fmt.Errorf("there is no stage %s for %s", want, f.target)
		}
		if slices.Contains(tritonStages, want) {
			st.Text = triton.Newer(f.text, st.Text)
		}
		if err := f.write(out, name, st, len(emit) > 1); err != nil {
			return err
		}
	}
	return nil
}
