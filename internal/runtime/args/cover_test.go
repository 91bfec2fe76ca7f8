package args

import (
	"errors"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// specOfText reads the specialization of one argument.
func specOfText(t *testing.T, p signature.Param, text string) signature.Arg {
	t.Helper()
	list, err := signature.Parse([]signature.Param{p}, text, func(text string) (*signature.Const, error) {
		if text == "" {
			return nil, errors.New("no constant")
		}
		return signature.Unread(text), nil
	})
	if err != nil {
		t.Fatal(text, err)
	}
	return list[0]
}

// TestCovers: code serves launches of which it knows no more, and their words are the same unless it takes a
// number for what is compiled in elsewhere, or a wider one.
func TestCovers(t *testing.T) {
	const no, same, other = "no", "same", "other words"
	for _, c := range []struct{ general, got, want string }{
		{"*fp32", "*fp32:16", same}, {"*fp32:16", "*fp32", no}, {"*fp32", "*fp16", no},
		{"*fp32", "*kfp32", same}, {"*fp32:S", "*fp32", no}, {"*fp32", "*fp32:S", same},
		{"*fp32", "fp32", no}, {"*fp32", "None", no},
		{"i32", "i32:16", same}, {"i32:16", "i32", no}, {"i32", "i32:1", other},
		{"i32:16", "i32:1", no}, {"i64", "i32", other}, {"i64", "i32:16", other}, {"i64", "i32:1", other},
		{"i64:16", "i32:16", no}, {"i32", "i64", no}, {"u64", "i64", no}, {"u64", "i32:1", no},
		{"fp32", "i32:1", no}, {"fp32", "fp64", no}, {"i32:1", "i32", no}, {"i32:1", "i32:1", same},
		{"tensordesc<fp16[64, 32]>:pointer", "tensordesc<fp16[64, 32]>", same},
		{"tensordesc<fp16[64, 32]>", "tensordesc<fp16[64, 32]>:pointer", no},
		{"tensordesc<fp16[64, 32]>", "tensordesc<fp16[32, 64]>", no},
		{"tensordesc<fp16[64, 32]>", "tensordesc<bf16[64, 32]>", no},
		{"tensordesc<fp16[64, 32]>", "*fp16", no},
		{"(i32, i32)", "(i32:16, i32)", same}, {"(i32, i32:16)", "(i32:16, i32)", no},
		{"(i32, i32)", "(i32)", no}, {"(i32, i32)", "i32", no},
		{"(a=i32, b=i32)", "(a=i32, b=i32)", same}, {"(a=i32, b=i32)", "(i32, i32)", same},
		{"(a=i32, b=i32)", "(b=i32, a=i32)", no}, {"(i32, (a=i32))", "(i32, (b=i32))", no},
	} {
		p := signature.Param{Name: "p"}
		general, got := specOfText(t, p, c.general), specOfText(t, p, c.got)
		text := no
		ok, equal := Covers([]signature.Param{p}, []signature.Arg{general}, []signature.Arg{got})
		switch {
		case ok && equal:
			text = same
		case ok:
			text = other
		}
		if text != c.want {
			t.Errorf("code for %s and a launch of %s: %s, want %s", c.general, c.got, text, c.want)
		}
	}
	// An annotation says what words are, and constexprs have none.
	for _, p := range []signature.Param{{Name: "p", Type: "i64"}, {Name: "p", Constexpr: true}} {
		if ok, _ := Covers([]signature.Param{p}, []signature.Arg{{Type: int64Type}},
			[]signature.Arg{{Const: signature.Int(1)}}); ok {
			t.Errorf("%+v: code for a number serves a launch that has none", p)
		}
	}
}

// TestFor: arguments are specialized as the code that serves them was, and no further.
func TestFor(t *testing.T) {
	x := &Tensor{Elem: dtype.Float16, Addr: 4096}
	for _, c := range []struct {
		code string
		v    any
		want string
	}{
		{"*fp16", x, "*fp16"}, {"*fp16:16", x, "*fp16:16"}, {"i32", 1, "i32"}, {"i32", 32, "i32"},
		{"i32:16", 32, "i32:16"}, {"i64", 1, "i64"}, {"i64", 5, "i64"}, {"i64:16", 32, "i64:16"},
		{"i32:1", 1, "1"}, {"fp32", 2.0, "fp32"},
	} {
		p := signature.Param{Name: "p"}
		params := NewParams([]signature.Param{p}).For([]signature.Arg{specOfText(t, p, c.code)})
		var f Frame
		if err := f.Specialize(params, []any{c.v}, lender{}); err != nil {
			t.Fatal(err)
		}
		specs, err := f.Specs(params)
		if got := signature.Format(specs); err != nil || got != c.want {
			t.Errorf("%v for code of %s is %s, want %s (%v)", c.v, c.code, got, c.want, err)
		}
	}
}

// TestKey: what needs code of its own has a key of its own.
func TestKey(t *testing.T) {
	seen := map[string]string{}
	add := func(what string, dev *Device, o device.Options, list ...signature.Arg) {
		t.Helper()
		key := Key(dev, list, o)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s share their code", what, other)
		}
		if seen[key] = what; key != Key(dev, list, o) {
			t.Errorf("%s has two keys", what)
		}
	}
	p := signature.Param{Name: "p"}
	for _, text := range []string{"*fp32", "*fp32:16", "*fp32:S", "*fp32:16S", "*kfp32", "**fp32", "*fp16",
		"i32", "i32:16", "i32:1", "i64", "u1", "None", "(i32, i32)", "(i32, (i32))", "((i32), i32)",
		"(a=i32, b=i32)", "(b=i32, a=i32)", "(a=i32, b=i64)", "tensordesc<fp16[64, 32]>",
		"tensordesc<fp16[64, 32]>:pointer", "tensordesc<fp16[32, 64]>", "tensordesc<bf16[64, 32]>"} {
		add(text, nil, device.Options{}, specOfText(t, p, text))
	}
	number := signature.Arg{Type: int32Type}
	add("two numbers", nil, device.Options{}, number, number)
	add("a constant of another type", nil, device.Options{},
		signature.Arg{Const: signature.NewConst(nil, "an enum", "1")})
	for what, o := range map[string]device.Options{"warps": {NumWarps: 8}, "stages": {NumStages: 7},
		"overlap": {Overlap: true}, "no fusion": {NoFPFusion: true}, "check": {Check: true},
		"extra": {Extra: "a=b"}, "libraries": {ExternLibs: "a=b"}} {
		add(what, nil, o, number)
	}
	add("a device", &Device{Backend: named{}}, device.Options{}, number)
	add("another device of its name", &Device{Backend: named{}}, device.Options{}, number)
}

// named is a device that has a name alone.
type named struct{ device.Device }

func (named) Name() string          { return "gpu" }
func (named) Traits() device.Traits { return device.Traits{} }
