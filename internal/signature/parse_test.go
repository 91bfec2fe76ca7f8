package signature

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
)

// testParams has a constexpr parameter last.
func testParams(n int) (list []Param) {
	for i := range n {
		list = append(list, Param{Name: fmt.Sprintf("p%d", i), Constexpr: i == n-1})
	}
	return list
}

// onlyInts takes constants that are integers.
func onlyInts(text string) (*Const, error) {
	n := int64(0)
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil {
		return nil, errors.New("no integer")
	}
	return Int(n), nil
}

// TestSignatures reads signatures and writes what was read: once read, a text stays as it is.
func TestSignatures(t *testing.T) {
	for text, want := range map[string]string{
		"*fp32, 4":                             "",
		"*fp32:16, 4":                          "",
		"*fp32:16S, 4":                         "",
		"*fp32:S, 4":                           "",
		"*fp32:DS ; 4":                         "*fp32:16S, 4",
		"i32:D , 4":                            "i32:16, 4",
		"i64:1, 4":                             "1, 4",
		"7, 4":                                 "",
		"fp16, fp16":                           "fp16, fp16",
		"@k.py:f, @:g":                         "",
		"( i32, *fp16:16 ), 4":                 "(i32, *fp16:16), 4",
		"(i32,), 4":                            "",
		"(), 4":                                "",
		"(a = i32, _b2 = (fp32, 5)), 4":        "(a=i32, _b2=(fp32, 5)), 4",
		"tensordesc<fp16[64, 32]>, 4":          "",
		"tensordesc< fp16 [64,32]>:pointer, 4": "tensordesc<fp16[64, 32]>:pointer, 4",
		"(tensordesc<fp16[1]>, (i32, u1)), 4":  "",
		" \t*fp32 , \n 4 ":                     "*fp32, 4",
	} {
		if want == "" {
			want = text
		}
		for range 2 {
			list, err := Parse(testParams(2), text, onlyInts)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				break
			}
			if text = Format(list); text != want {
				t.Errorf("got %s, want %s", text, want)
			}
		}
	}
	got, err := Split(testParams(3), "*fp32 ; (i32, 'a,)') ; \"b;\\\",\"", Texts)
	if want := []string{"*fp32", "(i32, 'a,)')", `"b;\","`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Split(testParams(1), "i32, 4", Texts); err == nil {
		t.Error("a signature with an entry too many is split")
	}
	if list, err := Parse(nil, " ", Texts); len(list) != 0 || err != nil {
		t.Errorf("no parameters: %v, %v", list, err)
	}
}

// TestSignatureErrors: each wrong signature is reported at its place, with a hint where there is one.
func TestSignatureErrors(t *testing.T) {
	const types = "types are written *fp32, i32, i64, u8, fp16, bf16, fp64, i1 and the like"
	const rules = ":16 says that the value is divisible by 16, :1 that it is 1, :S that a tensor is " +
		"smaller than 2 GiB"
	for _, test := range []struct{ text, at, msg, hint string }{
		{"i32", "", "the signature has 1 entry, but the kernel 2 parameters", "one for each of p0, p1"},
		{"i32, 4, fp16", "fp16", "the signature has 3 entries, but the kernel 2 parameters",
			"one for each of p0, p1"},
		{"i32, ]", "]", "']' closes nothing", ""},
		{"(i32, <4", "<", "'<' is never closed", ""},
		{"i32, 'a\\'", "'a\\'", "this string is never closed", ""},
		{"i32:1, x", "x", "parameter p1: no integer", ""},
		{"fp32:1, 4", "1", "parameter p0: :1 is for integers, not fp32", ""},
		{"*i8:1, 4", "1", "parameter p0: :1 is for integers, not pointer<int8>", ""},
		{"i32:S, 4", "S", "parameter p0: :S is for pointers, not int32", ""},
		{"i32:8, 4", "8", "parameter p0: unknown specialisation :8", rules},
		{"f99:16, 4", "f99", "parameter p0: ", types},
		{"(a=i32, i32), 4", "a=i32, i32", "parameter p0: either all items of a tuple have names or none", ""},
		{"(i32, q), 4", "q", "parameter p0: ", types},
		{"tensordesc<fp16>, 4", "tensordesc<fp16>", "parameter p0: expected a descriptor such as " +
			"tensordesc<fp16[64, 32]>", ""},
		{"tensordesc<q[4]>, 4", "tensordesc<q[4]>", "parameter p0: expected a descriptor such as " +
			"tensordesc<fp16[64, 32]>", ""},
		{"tensordesc<fp16[0]>, 4", "tensordesc<fp16[0]>", "parameter p0: the sizes of a descriptor's block are " +
			`integers above 0, but one is "0"`, ""},
		{"tensordesc<fp16[4, x]>, 4", "tensordesc<fp16[4, x]>", "parameter p0: the sizes of a descriptor's " +
			`block are integers above 0, but one is "x"`, ""},
	} {
		_, err := Parse(testParams(2), test.text, onlyInts)
		var list *diag.List
		if !errors.As(err, &list) || len(list.Diags) != 1 {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		d := list.Diags[0]
		f := list.Files.File(d.Span.Start)
		at := test.text[f.Offset(d.Span.Start):f.Offset(d.Span.End)]
		if at != test.at || !strings.HasPrefix(d.Msg, test.msg) || d.Hint != test.hint ||
			d.Code != "signature" {
			t.Errorf("%s: at %q: %s (%s)", test.text, at, d.Msg, d.Hint)
		}
	}
}
