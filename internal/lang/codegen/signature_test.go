package codegen

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/signature"
)

// What is written is read again as the same.
func TestFormatSignature(t *testing.T) {
	x, c := signature.Param{Name: "x"}, signature.Param{Name: "C", Constexpr: true}
	for _, tc := range []struct {
		param signature.Param
		text  string
	}{
		{x, "*fp32:16"}, {x, "*fp32:16S"}, {x, "*i8:S"}, {x, "*kfp16"}, {x, "i32"}, {x, "u64:16"}, {x, "u1"},
		{x, "fp64"}, {x, "*bf16"}, {x, "*fp8e4nv:16"}, {x, "**i8"},
		{x, "1"}, {x, "None"}, {x, "tensordesc<fp16[64, 32]>"}, {x, "tensordesc<fp16[64, 32]>:pointer"},
		{x, "(*fp32:16, i32)"}, {x, "(i32,)"}, {x, "()"}, {x, "(ptr=*fp32:16, shape=(i32, 1))"},
		{x, "(n=i32,)"}, {c, "1024"}, {c, "-7"}, {c, "True"}, {c, "None"}, {c, "0.5"}, {c, "'relu'"},
		{c, "fp16"}, {c, "i1"}, {c, "(2, 4)"}, {c, "(2,)"}, {c, "()"}, {c, "float('inf')"},
		{c, "float('-inf')"}, {c, "float('nan')"}, {c, "36893488147419103232"}, {c, "@:f"},
		{c, "@ops.py:add"},
	} {
		args, err := ParseSignature([]signature.Param{tc.param}, tc.text)
		if err != nil {
			t.Errorf("%s: %v", tc.text, err)
			continue
		}
		want := tc.text
		if want == "i1" {
			want = "u1"
		}
		if got := signature.Format(args); got != want {
			t.Errorf("%s is written as %s", tc.text, got)
		}
	}
}
