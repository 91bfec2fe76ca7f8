package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/llm/weights"
	"github.com/nereid-lang/nereid"
)

// startEmbedder returns the address of a server that has a tiny random model for embeddings alone.
func startEmbedder(t *testing.T) (string, *embedder) {
	t.Helper()
	folder := t.TempDir()
	if err := weights.RandomBERT(folder, 1); err != nil {
		t.Fatal(err)
	}
	o := settings{device: "cpu"}
	if _, err := nereid.OpenDevice("cpu"); errors.Is(err, fs.ErrNotExist) {
		o.device = "interp"
	}
	o.engine.Queue, o.embedBlocks = 2, 2
	e, err := o.embedder(folder, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer((&service{embedder: e}).handler())
	t.Cleanup(func() {
		server.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL + "/v1/embeddings", e
}

// embeddings is an answer. A vector is a list, or a string.
type embeddings struct {
	Object, Model string
	Data          []struct {
		Object    string
		Index     int
		Embedding json.RawMessage
	}
	Usage struct {
		Prompt int `json:"prompt_tokens"`
		Total  int `json:"total_tokens"`
	}
}

// vectors asks for embeddings, which must succeed.
func vectors(t *testing.T, url string, request map[string]any) (list [][]float32, a embeddings) {
	t.Helper()
	status, data := post(t, url, request)
	if err := json.Unmarshal(data, &a); err != nil || status != http.StatusOK || a.Object != "list" {
		t.Fatalf("status %d, %.200s, %v", status, data, err)
	}
	for i, d := range a.Data {
		var v []float32
		var text string
		if json.Unmarshal(d.Embedding, &text) == nil {
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			for ; len(b) >= 4; b = b[4:] {
				v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
			}
		} else if err := json.Unmarshal(d.Embedding, &v); err != nil {
			t.Fatal(err)
		}
		if d.Index != i || d.Object != "embedding" {
			t.Errorf("entry %d is %+v", i, d)
		}
		list = append(list, v)
	}
	return list, a
}

// near tells whether two vectors are equal but for rounding.
func near(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-6 })
}

// TestEmbeddings asks in all forms that OpenAI's API has.
func TestEmbeddings(t *testing.T) {
	url, e := startEmbedder(t)
	list, a := vectors(t, url, map[string]any{"model": "m", "input": []string{"abc de", "ZZ", "q"}})
	if len(list) != 3 || len(list[0]) != e.Dim || near(list[0], list[1]) {
		t.Fatalf("vectors %v", list)
	}
	if a.Usage.Prompt != 7+4+3 || a.Usage.Total != a.Usage.Prompt || a.Model != e.Name {
		t.Errorf("usage %+v of %s", a.Usage, a.Model)
	}
	sum := 0.0
	for _, x := range list[0] {
		sum += float64(x) * float64(x)
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("the square of a vector is %g", sum)
	}
	for i, request := range []map[string]any{
		{"input": "abc de"}, {"input": "abc de", "encoding_format": "base64", "dimensions": e.Dim},
		{"input": []string{"Abc  DE"}, "encoding_format": "float"}, {"input": e.Tokens("abc de")},
		{"input": [][]int{e.Tokens("abc de"), {7}}},
	} {
		if got, _ := vectors(t, url, request); !near(got[0], list[0]) {
			t.Errorf("request %d: %v, not %v", i, got[0], list[0])
		}
	}
	if n := e.CompiledLate(); n != 0 || e.inputs.Load() != 9 {
		t.Errorf("%d kernels were compiled late; %d texts", n, e.inputs.Load())
	}
	refusesEmbeddings(t, url, e)
}

// refusesEmbeddings sends requests that are refused.
func refusesEmbeddings(t *testing.T, url string, e *embedder) {
	t.Helper()
	for body, want := range map[string]string{
		`{`: "unexpected EOF", `{}`: "no texts", `{"input": []}`: "no texts",
		`{"input": ""}`:   "input 0 is empty",
		`{"input": null}`: "input 0 is empty", `{"input": ["a", ""]}`: "input 1 is empty",
		`{"input": {"a": 1}}`: "input is a text", `{"input": ["a", 1]}`: "input is a text",
		`{"input": [[]]}`: "input 0 is empty", `{"input": [[1, 57]]}`: "token 57",
		`{"input": [-1]}`: "token -1",
		`{"input": "a", "encoding_format": "int8"}`:                  "int8",
		`{"input": "a", "dimensions": 7}`:                            "dimensions is 7",
		`{"input": ["b", "` + strings.Repeat("a ", 63) + `"]}`:       "input 1 has 63 tokens",
		`{"input": ["a"` + strings.Repeat(`, "a"`, maxInputs) + `]}`: "more than 2048",
		`{"input": [[1]` + strings.Repeat(`, [1]`, maxInputs) + `]}`: "more than 2048",
	} {
		status, data := post(t, url, body)
		var a struct {
			Error struct{ Message, Type string }
		}
		if err := json.Unmarshal(data, &a); err != nil || status != http.StatusBadRequest ||
			!strings.Contains(a.Error.Message, want) || a.Error.Type != "invalid_request_error" {
			t.Errorf("%.60s: status %d, %.200s, not an error with %q", body, status, data, want)
		}
	}
	for range cap(e.places) {
		e.places <- struct{}{}
	}
	if status, _ := post(t, url, `{"input": "a"}`); status != http.StatusTooManyRequests {
		t.Errorf("status %d when too many wait", status)
	}
}

// TestNoEmbeddings asks a server without a model for them.
func TestNoEmbeddings(t *testing.T) {
	server := httptest.NewServer((&service{}).handler())
	defer server.Close()
	status, data := post(t, server.URL+"/v1/embeddings", `{"input": "a"}`)
	if status != http.StatusNotFound || !strings.Contains(string(data), "--embeddings") {
		t.Errorf("status %d, %s", status, data)
	}
}
