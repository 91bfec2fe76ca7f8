package tokenizer

import (
	"slices"
	"strings"
	"testing"

	"example.com/llm/weights"
	"example.com/llm/weights/weightstest"
)

// tiny returns a tokenizer of all bytes and a few merges.
func tiny(t testing.TB) *Tokenizer {
	t.Helper()
	tok, err := New(weights.Random(weights.Tiny, 1))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Hello world":     {"Hello", " world"},
		"it's we'll I'Ds": {"it", "'s", " we", "'ll", " I", "'", "Ds"},
		"a  b \n\n c  ":   {"a", " ", " b", " \n\n", " c", "  "},
		"x 12 3  4":       {"x", " ", "1", "2", " ", "3", "  ", "4"},
		" ... ½!":         {" ...", " ", "½", "!"},
		"日本\u3000語":       {"日本", "\u3000", "語"},
		"\xff\xfea":       {"\xff\xfe", "a"},
	} {
		var got []string
		for rest := text; rest != ""; {
			n := wordLen(rest)
			got = append(got, rest[:n])
			rest = rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestTiny(t *testing.T) {
	tok := tiny(t)
	for text, want := range map[string][]string{
		"the then":     {"the", " the", "n"},
		"<|im_start|>": strings.Split("<|im_start|>", ""),
	} {
		var got []string
		ids := tok.Encode(text)
		for _, id := range ids {
			got = append(got, tok.Text(id))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
		if back := tok.Decode(ids); back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
	}
}

// TestLong has a word of a million letters: the time of merges is not quadratic.
func TestLong(t *testing.T) {
	tok := tiny(t)
	text := strings.Repeat("thethe", 1<<17)
	ids := tok.Encode(text)
	if len(ids) != len(text)/3 || tok.Decode(ids) != text {
		t.Errorf("%d tokens for %d letters", len(ids), len(text))
	}
}

func FuzzEncode(f *testing.F) {
	tok := tiny(f)
	f.Add("the 'll  1\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if back := tok.Decode(tok.Encode(text)); back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
	})
}

// TestReference compares with the tokens of 10,000 texts in a file that reference.py made.
func TestReference(t *testing.T) {
	var cases []struct {
		Text string
		IDs  []int
	}
	tok, err := New(weightstest.Expected(t, "tokens.json", &cases))
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	for _, c := range cases {
		if got := tok.Encode(c.Text); !slices.Equal(got, c.IDs) {
			if bad++; bad <= 10 {
				t.Errorf("%q: %v, not %v", c.Text, got, c.IDs)
			}
		}
	}
	t.Logf("%d texts, %d differ", len(cases), bad)
}
