package nereid_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/profile"
)

// linesKernel spends its time in lines 11 to 13; the head of the loop is line 10.
const linesKernel = `import triton
import triton.language as tl


@triton.jit
def busy(x_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    total = 0.0
    for k in range(200):
        x = tl.sin(x) * 0.5
        x = tl.exp(x) - 1.0
        total += tl.max(x, axis=0)
    tl.store(x_ptr + i, x + total * 0.0)
`

// TestProfileLines: the processors are found in the lines that compute; what the language's library does
// counts for the line that calls it.
func TestProfileLines(t *testing.T) {
	if os.Getenv(knob.TraceLines.Name()) != "" { // the process that is recorded
		launchBusy(t, stream(t, "cpu"))
		return
	}
	file := filepath.Join(t.TempDir(), "trace.json")
	cmd := exec.Command(os.Args[0], "-test.run=^TestProfileLines$", "-test.v")
	cmd.Env = append(os.Environ(), knob.Trace.Name()+"="+file, knob.TraceLines.Name()+"=1",
		knob.Lines.Name()+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	trace, err := profile.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trace.Events {
		if trace.Events[i].Name == "nereid_lines_refused" {
			txtest.NotHere(t, "%v", trace.Events[i].Args["why"])
		}
	}
	samples, share := map[int]int{}, 0.0
	rows := trace.Lines()
	for _, r := range rows {
		share += r.Share
		if r.Line == 0 {
			continue
		}
		if filepath.Base(r.File) != "busy.py" || !strings.HasPrefix(r.Kernel, "busy") {
			t.Errorf("a line of %s in %s", r.File, r.Kernel)
		}
		samples[r.Line] += r.Samples
	}
	computing := samples[11] + samples[12] + samples[13]
	if samples[11] == 0 || samples[12] == 0 || samples[13] == 0 || 5*(samples[8]+samples[14]) > computing {
		t.Errorf("samples by line: %v", samples)
	}
	if share < 0.999 || share > 1.001 {
		t.Errorf("the shares come to %v", share)
	}
	var table strings.Builder
	if err := trace.WriteTable(&table); err != nil || !strings.Contains(table.String(), "busy.py:12") {
		t.Errorf("the table, %v:\n%s", err, table.String())
	}
}

// launchBusy launches the kernel for long enough that its samples suffice and are written: the process ends
// without a word to the recording.
func launchBusy(t *testing.T, s *nereid.Stream) {
	t.Helper()
	m, err := nereid.Parse("busy.py", []byte(linesKernel), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("busy")
	if err != nil {
		t.Fatal(err)
	}
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 1024)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := nereid.CopyFrom(x, make([]float32, 1024)); err != nil {
		t.Fatal(err)
	}
	for n, start := 0, time.Now(); n < 300 || time.Since(start) < 600*time.Millisecond; n++ {
		if err := k.Launch(s, nereid.Grid{1}, x, 1024); err != nil {
			t.Fatal(err)
		}
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLinesOfSeveral: events of one process say what its samples have come to, those of several are summed
// up.
func TestLinesOfSeveral(t *testing.T) {
	line := func(pid string, n string) string {
		return `{"ph":"M","pid":` + pid + `,"tid":0,"name":"nereid_line","ts":0,"args":{"kernel":"k",` +
			`"file":"a.py","line":3,"samples":` + n + `,"ns":` + n + `000}}` + "\n"
	}
	trace, err := profile.Read(strings.NewReader(line("1", "4") + line("2", "5") + line("1", "7")))
	if err != nil {
		t.Fatal(err)
	}
	rows := trace.Lines()
	if len(rows) != 1 || rows[0].Samples != 12 || rows[0].Time != 12*time.Microsecond || rows[0].Share != 1 {
		t.Errorf("the table is %+v", rows)
	}
}
