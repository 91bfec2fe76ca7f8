// Package cpuid says which features this machine's processor has, under LLVM's names, without LLVM. A feature
// counts only if the operating system saves its registers too.
//
// A feature that is not in the tables is unknown, and code that asks for it is better refused.
package cpuid

import (
	"runtime"
	"slices"
	"strings"
)

// Features returns the features that the processor has, sorted.
func Features() []string {
	var list []string
	for name, has := range features() {
		if has {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// Missing returns those of a list of features, in LLVM's notation ("+avx2,+fma,-sse4a"), that the processor
// lacks or that nothing is known of.
func Missing(wanted string) []string {
	have := features()
	var missing []string
	for f := range strings.SplitSeq(wanted, ",") {
		if name, ok := strings.CutPrefix(f, "+"); ok && !have[name] {
			missing = append(missing, name)
		}
	}
	return missing
}

// Checkable returns a list of features, in LLVM's notation, without those that Missing would name: code for
// the rest runs here. Where nothing is known of the processor, the list stays as it is.
func Checkable(wanted string) string {
	missing := Missing(wanted)
	if len(features()) == 0 || len(missing) == 0 {
		return wanted
	}
	list := strings.Split(wanted, ",")
	for i, f := range list {
		if name, ok := strings.CutPrefix(f, "+"); ok && slices.Contains(missing, name) {
			list[i] = "-" + name
		}
	}
	return strings.Join(list, ",")
}

// Machine describes the processor and the system: "linux/amd64 with AVX2".
func Machine() string {
	text := runtime.GOOS + "/" + runtime.GOARCH
	for _, f := range []struct{ name, word string }{{"avx512vl", "AVX-512"}, {"avx2", "AVX2"}, {"avx", "AVX"},
		{"sve", "SVE"}} {
		if features()[f.name] {
			return text + " with " + f.word
		}
	}
	return text
}
