package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nereid-lang/nereid/internal/cache"
)

// The scripts testdata/attack_*.txtar do what somebody would do who can choose a file that Nereid reads.
// What they cannot write as text they have made by `forge KIND FILE ARG…`; a new kind is a row here.
var forgeries = map[string]struct {
	usage string
	make  func(args []string) ([]byte, error)
}{
	"archive":   {"KERNEL HASH STAGE", forgeArchive},
	"recording": {"KERNEL SOURCE", forgeRecording},
}

// forge is the script command.
func forge(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: forge KIND FILE ARG…; kinds: %s", slices.Sorted(maps.Keys(forgeries)))
	}
	f, ok := forgeries[args[0]]
	if want := len(strings.Fields(f.usage)); !ok || len(args)-2 != want {
		ts.Fatalf("usage: forge %s FILE %s", args[0], f.usage)
	}
	data, err := f.make(args[2:])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

// forgeArchive is an archive with an entry that has a valid checksum, under any key and with a stage of any
// name.
func forgeArchive(args []string) ([]byte, error) {
	e := &cache.Entry{
		Key: cache.Key{Kernel: args[0], Hash: args[1]}, Options: json.RawMessage("{}"), Code: "object",
		Stages: []cache.Stage{{Name: args[2], Data: []byte("text")},
			{Name: "object", Data: []byte("\x7fELF")}},
	}
	entry, err := e.Encode()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	err = w.WriteHeader(&tar.Header{Name: "x.kernel", Mode: 0o644, Size: int64(len(entry))})
	_, e2 := w.Write(entry)
	err = errors.Join(err, e2, w.Close(), z.Close())
	return b.Bytes(), err
}

// forgeRecording is a recorded launch of a kernel without arguments.
func forgeRecording(args []string) ([]byte, error) {
	launch, err := json.Marshal(map[string]any{"kernel": args[0], "file": args[1], "grid": []int{1, 1, 1},
		"args": []int{}})
	if err != nil {
		return nil, err
	}
	header := fmt.Appendf(nil, `{"__metadata__":{"launch":%q}}`, launch)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), nil
}
