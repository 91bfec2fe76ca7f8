package txtest

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
)

// Unpacked opens a file for reading until the test ends, and unpacks it if its name ends in .gz.
func Unpacked(t testing.TB, path string) io.Reader {
	t.Helper()
	f := Open(t, os.Open, path)
	if !strings.HasSuffix(path, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return z
}

// JSON is what a file of JSON holds, which may be packed as Unpacked takes it.
func JSON[T any](t testing.TB, path string) (v T) {
	t.Helper()
	if err := json.NewDecoder(Unpacked(t, path)).Decode(&v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}
