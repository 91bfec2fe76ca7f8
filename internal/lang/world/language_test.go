package world

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/triton"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// docs/LANGUAGE.md is made from the table of names, and each name that it calls supported resolves.
func TestLanguage(t *testing.T) {
	src, err := Load("empty.py", nil, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := New(src, DefaultTarget, nil)
	var b strings.Builder
	b.WriteString("# The language\n\n" +
		"Every name of `triton.language` 3.6 and how Nereid has it; [VERSIONS.md](VERSIONS.md) says what\n" +
		"later releases have. This page is made from the\n" +
		"front end's own table; the command that writes it anew is\n\n" +
		"```sh\ngo test ./internal/lang/world -run TestLanguage -update\n```\n\n" +
		"*primitive*: made by the front end in Go; *library*: written in the language, in\n" +
		"`internal/lang/stdlib`; *steers*: looked at while the kernel is compiled. A name that\n" +
		"is not here is an error that says so.\n")
	for _, home := range []struct{ module, title string }{
		{sem.InCore, "triton.language"}, {sem.InMath, "triton.language.math"},
		{sem.InStandard, "triton.language.standard"}, {sem.InRandom, "triton.language.random"},
		{sem.InTensor, "Methods of tensors alone"}, {sem.InDescriptor, "Methods of tensor descriptors"},
		{sem.InTarget, "triton.language.target_info"}, {sem.InCUDA, "triton.language.extra.cuda"},
		{sem.InLibdevice, "triton.language.extra.libdevice"},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| name | parameters | state | also |\n|---|---|---|---|\n", home.title)
		for _, bi := range sem.In(triton.Default).All() {
			if bi.Module != home.module || strings.HasPrefix(bi.Name, "_") { // private names are not listed
				continue
			}
			state, also := stateWord(bi), ""
			if bi.Member {
				also = "method"
			}
			if !resolves(w, bi) {
				t.Errorf("%s is in the table but does not resolve", bi.FullName())
				state = "missing"
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", bi.Name, strings.ReplaceAll(bi.Params, "|", "\\|"),
				state, also)
		}
	}
	txtest.Golden(t, txtest.Path(t, "docs/LANGUAGE.md"), b.String())
}

func stateWord(b *sem.Builtin) string {
	switch b.State {
	case sem.Primitive:
		return "primitive"
	case sem.Stdlib:
		return "library"
	case sem.Constant:
		return "constant"
	case sem.Class:
		return "class"
	case sem.Module:
		return "module"
	}
	return "steers"
}

// resolves reports whether a kernel that names it gets something.
func resolves(w *World, b *sem.Builtin) bool {
	switch b.Module {
	case sem.InTensor, sem.InDescriptor:
		return b.Fn != nil
	}
	if b.Fn != nil || b.State == sem.Constant {
		return true
	}
	if b.State == sem.Module {
		_, ok := w.known["triton.language."+b.Name]
		return ok
	}
	module := b.Module
	if b.Public {
		module = ""
	}
	if module == sem.InTarget {
		_, ok, _ := w.known["triton.language.target_info"].Get(w.In, b.Name)
		return ok
	}
	v, ok, err := w.lookup(module, b.Name)
	return err == nil && ok && v != nil
}
