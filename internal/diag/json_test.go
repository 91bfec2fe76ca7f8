package diag

import (
	"encoding/json"
	"io"
	"testing"
)

func TestJSONError(t *testing.T) {
	type row struct {
		Name  string `json:"name"`
		Warps int    `json:"warps"`
	}
	for text, want := range map[string]string{
		`[{"name": 1`:                      "line 1, column 11: unexpected end of JSON input",
		"[{\"name\": \"é\"},\n {\"a\" 1}]": "line 2, column 7: invalid character '1' after object key",
		`{}`:                               "line 1, column 1: the document must be a list and is an object",
		"[\n{\"name\": 5}]":                "line 2, column 10: name must be a string and is a number",
		`[{"warps": "4"}]`:                 "line 1, column 14: warps must be an integer and is a string",
	} {
		var rows []row
		err := json.Unmarshal([]byte(text), &rows)
		if got := JSONError([]byte(text), err); got.Error() != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if JSONError(nil, io.EOF) != io.EOF {
		t.Error("another error does not stay")
	}
}
