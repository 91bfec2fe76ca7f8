package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestLaunchTable measures launches through the whole stack, down to the call into C, with a driver that
// does nothing: every form of a launch is in the table, and none allocates.
func TestLaunchTable(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	if !txtest.Inside() {
		t.Log(stub.Again(t, "NEREID_CACHE_DIR="+t.TempDir()))
		return
	}
	dev, err := nereid.OpenDevice("cuda")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s := &Suite{Device: dev, Only: []string{"launch"}, Out: &out}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var forms []string
	for line := range strings.Lines(out.String()) {
		var r launchRow
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Nereid <= 0 {
			t.Fatalf("%v: %s", err, line)
		}
		t.Log(strings.TrimSpace(line))
		if r.Allocs != 0 && !raceDetector {
			t.Errorf("%s of %s allocates %v times", r.Form, r.What, r.Allocs)
		}
		forms = append(forms, r.Form)
	}
	each := []string{"raw", "driver", "Launch", "Bind", "generated"}
	if got, want := fmt.Sprint(forms), fmt.Sprint(append(each, each...)); got != want {
		t.Errorf("forms %s, want %s", got, want)
	}
}

// TestCompareAhead: every launch runs compiled when it comes, in strict mode and as compiled code.
func TestCompareAhead(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	var out bytes.Buffer
	s := &Suite{Device: dev, Small: true, Out: &out, Only: []string{"row_sum"}, Rep: time.Millisecond}
	s.CompareAhead(t.Context())
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err, out.String())
	}
	for line := range strings.Lines(out.String()) {
		var a Ahead
		err := json.Unmarshal([]byte(line), &a)
		if err == nil && a.JIT > 0 && a.Strict > 0 && a.Bundle > 0 {
			return
		}
	}
	t.Error(out.String())
}
