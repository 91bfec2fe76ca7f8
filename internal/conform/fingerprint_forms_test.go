package conform

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	codes "github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/fingerprint"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// formRows gathers rows of kernels that are there for one transformation each.
type formRows struct {
	t     *testing.T
	rows  []fingerprint.Row
	count map[string]int // by name
}

// add takes a kernel in, for some targets.
func (f *formRows) add(name string, k *nereid.Kernel, signature string, o nereid.Options,
	targets ...fingerprint.Target) {
	f.rows = append(f.rows, fingerprint.Row{Targets: targets, Kernel: fingerprint.Kernel{
		Name: fmt.Sprintf("%s/%d", name, f.count[name]), Source: jit.Source(k), Kernel: k.Name(),
		Signature: signature, Options: codes.Options(o)}})
	f.count[name]++
}

// pipeline takes a case of pipelines in.
func (f *formRows) pipeline(name string, c *pipelineCase, o nereid.Options, targets ...fingerprint.Target) {
	signature := ""
	for _, s := range c.sizes {
		name, _, _ := strings.Cut(s, ":")
		signature += "*" + name + ":16, "
	}
	f.add(name, c.kernel(f.t), signature+"i32", o, targets...)
}

// launches takes kernels with descriptors in, by the arguments of their launches.
func (f *formRows) launches(name string, mod *nereid.Module, list []described,
	targets ...fingerprint.Target) {
	dev := interpreter(f.t)
	for i, d := range list {
		if i%2 == 1 && len(list) > 20 {
			continue
		}
		k, err := mod.Kernel(d.kernel)
		if err != nil {
			f.t.Fatal(err)
		}
		args := []any{}
		for i, a := range d.args {
			if x, ok := a.(tile); ok {
				tensor := x.upload(f.t, dev, i)
				defer tensor.Close()
				a = x.argument(tensor)
			}
			args = append(args, a)
		}
		signature, err := k.Signature(args...)
		if err != nil {
			f.t.Fatal(err)
		}
		f.add(name+"/"+d.kernel, k, signature, d.opts, targets...)
	}
}

// TestFingerprintForms compiles kernels that other tests have for one transformation each: pipelines, tiles,
// programs that are merged or persistent, warp groups that ping-pong, descriptors.
func TestFingerprintForms(t *testing.T) {
	txtest.LLVMTool(t, "opt")
	f := &formRows{t: t, count: map[string]int{}}
	gpu := func(w codes.Way) fingerprint.Target {
		w.Fallback = true
		return fingerprint.Target{Name: "cuda:90", Way: w}
	}
	first, alone := gpu(codes.Way{}), gpu(codes.Way{BlocksPerSM: 1})
	many := gpu(codes.Way{BlocksPerSM: codes.Many, Persist: true})
	amd, old := fingerprint.Target{Name: "hip:gfx942"}, fingerprint.Target{Name: "cuda:80"}
	four, eight := nereid.Options{NumWarps: 4, NumStages: 3}, nereid.Options{NumWarps: 8, NumStages: 3}
	for i, c := range pipelineCases {
		f.pipeline("pipeline", c, four, []fingerprint.Target{first, old, alone, amd}[i%4])
	}
	for _, c := range turnCases {
		f.pipeline("turns", c, eight, first)
	}
	for _, c := range steppedCases {
		f.pipeline("steps", c, four, first)
	}
	for _, c := range heldCases {
		f.pipeline("held", &c.pipelineCase, four, first)
	}
	for _, c := range joinCases {
		f.pipeline("joined", &c.pipelineCase, four, first)
	}
	for _, c := range append(tileCases, tileStoreCases...) {
		f.add("tile", c.kernel(t, ""), "*fp16:16, *fp32:16, i32, i32:16, i32:16", four, first)
	}
	for _, c := range persistCases {
		f.add("persistent", c.kernel(t, nereid.Config{}),
			"*fp16:16, *fp32:16, *fp16:16, *fp16:16, i32:16, i32:16", eight, many)
	}
	for _, c := range loopedCases {
		f.add("looped", c.kernel(t, nereid.Config{}),
			"*fp16:16, *fp32:16, *fp16:16, *fp32:16, i32:16, i32:16, i32:16", eight, many)
	}
	for i, c := range mergeCases {
		f.add("merged", c.kernel(t, ""), "*fp32:16, *fp32:16, i32", four, gpu(codes.Way{Merge: 2 << (i % 3)}))
	}
	f.launches("descriptors", describedKernels(t), describedLaunches(), first)
	outside, err := nereid.Parse("outside.py", []byte(outsideSource))
	if err != nil {
		t.Fatal(err)
	}
	f.launches("outside", outside, outsideLaunches(), first)
	for i, c := range clusterCases {
		k, signature := c.kernel(t), strings.Repeat(", *"+c.dtype.String()+":16", len(c.sizes))[2:]
		o := nereid.Options{NumCTAs: 2 << (i % 2), NumWarps: 4 >> (i % 3)}
		f.add("cluster", k, signature, o, fingerprint.Target{Name: "cuda:90"})
	}
	fingerprint.Compare(t, "testdata/forms.txt", f.rows)
}
