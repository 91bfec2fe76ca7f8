package nereid_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid"
)

// Programs that record to one file at the same time, as processes do with NEREID_RECORD, lose nothing of
// each other's.
func TestRecordTogether(t *testing.T) {
	s := stream(t, "interp")
	file := filepath.Join(t.TempDir(), "manifest.json")
	var wg sync.WaitGroup
	for i := range 8 {
		rec := &nereid.Recorder{File: file}
		wg.Go(func() {
			for j := range 4 {
				if err := launchScale(t, s, nereid.Config{Record: rec}, 16, 16<<(i%4)<<(2*j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	m, err := nereid.ReadManifest(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Variants) != 10 { // blocks of 16 to 16 << 9
		t.Errorf("%d variants: %v", len(m.Variants), m.Variants)
	}
	if list, _ := os.ReadDir(filepath.Dir(file)); len(list) != 1 {
		t.Errorf("left: %v", list)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o044 != 0o044 {
		t.Error("others cannot read it", err)
	}
}

// A file that is no manifest is not overwritten, and whoever asked for one hears of it; the launch goes on.
func TestRecordNowhere(t *testing.T) {
	s := stream(t, "interp")
	file := filepath.Join(t.TempDir(), "precious.go")
	if err := os.WriteFile(file, []byte("package precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, filepath.Join(file, "below")} {
		var log bytes.Buffer
		conf := nereid.Config{Record: &nereid.Recorder{File: name},
			Logger: slog.New(slog.NewTextHandler(&log, nil))}
		for _, n := range []int{16, 5} {
			if err := launchScale(t, s, conf, n, 16); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Count(log.String(), "is not recorded") != 1 {
			t.Errorf("said: %s", &log)
		}
		if err := conf.Record.WriteFile(name); name != file && err == nil {
			t.Error("written below a file")
		}
	}
	if data, _ := os.ReadFile(file); !strings.Contains(string(data), "variants") { // Write was asked for it
		t.Errorf("%s", data)
	}
}

// A manifest serves a program that has its kernels elsewhere; one of other files is an error.
func TestWarmupFiles(t *testing.T) {
	s := stream(t, "interp")
	signature := "*fp32:16, i32:16, fp32, None, 16, fp32"
	for _, c := range []struct {
		module, file string
		ok           bool
	}{
		{"k/scale.py", "k/scale.py", true}, {"/srv/k/scale.py", "k/scale.py", true},
		{"scale.py", "/home/me/k/scale.py", true}, {"./scale.py", "scale.py", true},
		{"k/scale.py", "upscale.py", false}, {"scale.py", "upscale.py", false},
		{"k/scale.py", "j/scale.py", false},
	} {
		m, err := nereid.Parse(c.module, []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		list := []nereid.Variant{{File: c.file, Kernel: "scale", Signature: signature}}
		err = m.Warmup(context.Background(), s.Device(), list, func(int, int, nereid.Variant, error) {
			count++
		})
		if (err == nil) != c.ok || (count == 1) != c.ok {
			t.Errorf("%+v: %v, %d compiled", c, err, count)
		}
		if !c.ok && !strings.Contains(err.Error(), c.file) {
			t.Errorf("error: %v", err)
		}
	}
}

// A manifest that a program embeds says what its file says, and rubbish is an error.
func TestParseManifest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "manifest.json")
	if err := launchScale(t, stream(t, "interp"), nereid.Config{Record: &nereid.Recorder{File: file}}, 16,
		16); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := nereid.ParseManifest(data)
	if err != nil || len(m.Variants) != 1 || m.Variants[0].Kernel != "scale" {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := nereid.ParseManifest([]byte("{")); err == nil {
		t.Errorf("rubbish is %+v", m)
	}
}
