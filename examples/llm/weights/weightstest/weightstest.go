// Package weightstest gives tests the files that ./fetch downloads and makes, and skips those that need what
// is not here.
package weightstest

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/llm/gguf"
	"example.com/llm/weights"
)

// File returns the path of a file. Without the file the test is skipped, or fails where NEREID_REQUIRE_TOOLS
// asks for smollm2, for minilm if the file belongs to that, or for all tools (1).
func File(t testing.TB, name string) string {
	t.Helper()
	path, err := weights.Find(name)
	model := "smollm2"
	if strings.Contains(strings.ToLower(name), "minilm") {
		model = "minilm"
	}
	Need(t, model, err)
	return path
}

// Need does nothing if err is nil. Otherwise a tool is missing: the test is skipped, or fails where
// NEREID_REQUIRE_TOOLS asks for the tool, or for all of them (1).
func Need(t testing.TB, tool string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	tools := strings.Split(os.Getenv("NEREID_REQUIRE_TOOLS"), ",")
	if slices.Contains(tools, tool) || slices.Contains(tools, "1") {
		t.Fatal(err)
	}
	t.Skip(err)
}

// Expected returns SmolLM2, and stores in expected what a JSON file of reference.py has.
func Expected(t testing.TB, name string, expected any) *gguf.File {
	t.Helper()
	path, reference := File(t, weights.Name), File(t, name)
	f, err := gguf.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, expected); err != nil {
		t.Fatal(err)
	}
	return f
}
