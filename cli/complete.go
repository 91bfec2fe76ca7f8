package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// completions of flags, by name, for all commands that have them.
var completions = map[string]func(cmd *cobra.Command) []string{
	"device": func(*cobra.Command) []string { return deviceNames() },
	"target": func(*cobra.Command) []string {
		return []string{"cuda:90", "cuda:80", "cuda:100", "hip:gfx942", "cpu", "interp"}
	},
	"emit": stagesOf,
	"init": func(*cobra.Command) []string { return fillNames() },
	"dtype": func(*cobra.Command) []string {
		return []string{"fp32", "fp16", "bf16", "fp64", "i8", "i32", "i64", "u8", "i1"}
	},
	"check": func(*cobra.Command) []string {
		return []string{"bounds", "overflow", "uninit", "races"}
	},
	"pass-pipeline": func(*cobra.Command) []string { return passNames() },
	"dump-after":    func(*cobra.Command) []string { return append(passNames(), "all") },
	"dump-before":   func(*cobra.Command) []string { return append(passNames(), "all") },
	"stop-after":    func(*cobra.Command) []string { return passNames() },
}

// addCompletions adds the completions of flags and arguments to a command and those below it.
func addCompletions(cmd *cobra.Command) {
	for name, values := range completions {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			head := ""
			if i := strings.LastIndexByte(typed, ','); i >= 0 { // of a list, the last
				head = typed[:i+1]
			}
			var out []string
			for _, v := range values(cmd) {
				if strings.HasPrefix(head+v, typed) {
					out = append(out, head+v)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		})
	}
	if strings.Contains(cmd.Use, "FILE.py:KERNEL") {
		cmd.ValidArgsFunction = completeKernel
	}
	for _, sub := range cmd.Commands() {
		addCompletions(sub)
	}
}

// completeKernel completes FILE.py:KERNEL, then the names of the kernel's parameters.
func completeKernel(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		file, _, named := cutKernel(typed)
		if !named && !strings.HasSuffix(typed, ".py") {
			return []string{"py"}, cobra.ShellCompDirectiveFilterFileExt
		}
		m, err := nereid.Load(file)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var out []string
		for _, k := range m.Kernels() {
			out = append(out, file+":"+k)
		}
		return matching(out, typed), cobra.ShellCompDirectiveNoFileComp
	}
	k, err := loadKernel(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, p := range k.Params() {
		if !slices.ContainsFunc(args[1:], func(a string) bool { return strings.HasPrefix(a, p.Name+"=") }) {
			out = append(out, p.Name+"=")
		}
	}
	return matching(out, typed), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

func matching(list []string, typed string) (out []string) {
	for _, s := range list {
		if strings.HasPrefix(s, typed) {
			out = append(out, s)
		}
	}
	return out
}

func deviceNames() (names []string) {
	here, _ := nereid.Devices()
	for _, d := range here {
		names = append(names, d.String())
	}
	return names
}

// stagesOf returns the stages of the command's target.
func stagesOf(cmd *cobra.Command) []string {
	target, _ := cmd.Flags().GetString("target")
	return jit.StagesOf(target)
}

func passNames() (names []string) {
	for _, p := range optPasses(gpu.Options{Machine: gpu.Machine{Target: "cuda:90"}, PingPong: true}) {
		names = append(names, p.Name)
	}
	return names
}
