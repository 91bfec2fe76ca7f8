package wordpiece

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/llm/weights"
	"example.com/llm/weights/weightstest"
)

// texts has texts with the tokens that Hugging Face's `tokenizers` has for them.
type texts []struct {
	Text string
	IDs  []int
}

// compare reports texts whose tokens differ.
func (list texts) compare(t *testing.T, tok *Tokenizer) {
	t.Helper()
	bad := 0
	for _, c := range list {
		if got := tok.Encode(c.Text); !slices.Equal(got, c.IDs) {
			if bad++; bad <= 10 {
				t.Errorf("%q: %v, not %v", c.Text, got, c.IDs)
			}
		}
	}
	t.Logf("%d texts, %d differ", len(list), bad)
}

func read(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// small returns the recorded cases of reference_embeddings.py, and the tokenizer of their vocabulary.
func small(t testing.TB) (*Tokenizer, texts) {
	t.Helper()
	var file struct {
		Vocabulary []string
		Cases      texts
	}
	read(t, filepath.Join("testdata", "cases.json"), &file)
	tok, err := New(file.Vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	return tok, file.Cases
}

func TestCases(t *testing.T) {
	tok, list := small(t)
	if len(list) < 150 {
		t.Errorf("there are %d cases", len(list))
	}
	list.compare(t, tok)
}

// TestMiniLM compares with 5,000 texts in the vocabulary of all-MiniLM-L6-v2.
func TestMiniLM(t *testing.T) {
	data, err := os.ReadFile(weightstest.File(t, filepath.Join(weights.MiniLM, "vocab.txt")))
	if err != nil {
		t.Fatal(err)
	}
	tok, err := Parse(string(data))
	if err != nil {
		t.Fatal(err)
	}
	var list texts
	read(t, weightstest.File(t, "minilm-tokens.json"), &list)
	list.compare(t, tok)
}

func TestVocabulary(t *testing.T) {
	five := strings.Join(special, "\n")
	for text, want := range map[string]string{
		"": "empty", "a\nb": "[PAD]", five + "\na\na": "twice", strings.Repeat("\n", maxTokens+1): "at most",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, not an error about %q", text, err, want)
		}
	}
	tok, err := Parse(five + "\r\nab\r\n##c\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Encode("ABCC abx [PAD]"); !slices.Equal(got, []int{5, 6, 6, 1, 0}) || tok.Size() != 7 {
		t.Errorf("%v of %d tokens", got, tok.Size())
	}
}

// TestLong has texts of a million letters: the time is not quadratic.
func TestLong(t *testing.T) {
	tok, _ := small(t)
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("[", 1<<20),
		strings.Repeat("e\u0301", 1<<19)} {
		if n := len(tok.Encode(text)); n != 1 && n != 1<<20 {
			t.Errorf("%.10q: %d tokens", text, n)
		}
	}
}

func FuzzEncode(f *testing.F) {
	tok, list := small(f)
	for _, c := range list[:50] {
		f.Add(c.Text)
	}
	f.Add("\xff[MA\xc3")
	f.Fuzz(func(t *testing.T, text string) {
		for _, id := range tok.Encode(text) {
			if id < 0 || id >= tok.Size() {
				t.Errorf("%q has the token %d", text, id)
			}
		}
	})
}
