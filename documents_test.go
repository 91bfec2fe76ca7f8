package nereid_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocuments holds the documents to statements that readers missed or found wrong.
func TestDocuments(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
	for file, wants := range map[string][]string{
		"README.md":           {"glibc", "nereid_static", "qemu", "| Windows"},
		"docs/RUNTIME.md":     {"go tool nereid gen", "`Launch` returns"},
		"docs/DIVERGENCES.md": {"sign of zero", "fused", "static_print"},
		"docs/COMMANDS.md":    {"sweep.png", "tune.png", "layout.png"},
		"docs/TENSORS.md":     {"Config.Check"},
		"docs/AMD.md":         {"hip:gfx942", "NEREID_HIP", "sim:gfx942", "num_ctas"},
	} {
		text := read(file)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not speak of %q", file, want)
			}
		}
		for _, picture := range regexp.MustCompile(`\]\((\w+\.png)\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat("docs/" + picture[1]); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// TestChangelog: entries are whole and stand there once. Merges of two lists have torn some apart.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, section := range strings.Split(string(text), "\n#") {
		_, list, _ := strings.Cut(section, "\n- ")
		for _, entry := range strings.Split(list, "\n- ") {
			entry = strings.TrimSpace(entry)
			if seen[entry] && entry != "" {
				t.Errorf("twice: %s", entry)
			}
			seen[entry] = true
			if entry != "" && !strings.ContainsAny(entry[len(entry)-1:], ".)`") {
				t.Errorf("without an end: %s", entry)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d entries", len(seen))
	}
}

// TestPeers: the map of peer/ names all of its programs.
func TestPeers(t *testing.T) {
	readme, err := os.ReadFile("peer/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("peer")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if name := f.Name(); name != "README.md" && name[0] != '_' && !strings.Contains(string(readme),
			"`"+name+"`") {
			t.Errorf("peer/README.md does not name %s", name)
		}
	}
}

// TestEnvironmentAlone holds docs/RUNTIME.md to the truth about With: each variable is either part of
// Config or listed as what the environment alone sets.
func TestEnvironmentAlone(t *testing.T) {
	table, err := os.ReadFile("docs/options.md")
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile("internal/runtime/jit/config.go")
	if err != nil {
		t.Fatal(err)
	}
	runtime, err := os.ReadFile("docs/RUNTIME.md")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.ReadFile("internal/runtime/jit/cache.go")
	if err != nil {
		t.Fatal(err)
	}
	knobs, err := os.ReadFile("internal/knob/table.go")
	if err != nil {
		t.Fatal(err)
	}
	_, alone, ok := strings.Cut(string(runtime), "The environment alone sets")
	if !ok {
		t.Fatal("docs/RUNTIME.md does not say what the environment alone sets")
	}
	alone, _, _ = strings.Cut(alone, "\n\n")
	for _, m := range regexp.MustCompile(`(?m)^\| .(NEREID_\w+)`).FindAllStringSubmatch(string(table), -1) {
		v := regexp.MustCompile(`(\w+) += \w+\(Row\{\s+Group: "[^"]*", Name: "` + m[1] +
			`"`).FindStringSubmatch(string(knobs))
		if v == nil {
			t.Errorf("%s is not in the table", m[1])
			continue
		}
		used := regexp.MustCompile(`knob\.` + v[1] + `\b`)
		inConfig := used.Match(config) || used.Match(cache) || m[1] == "NEREID_CACHE_DIR"
		if listed := regexp.MustCompile("`" + m[1] + "`").MatchString(alone); listed == inConfig {
			t.Errorf("%s: part of Config is %v, listed as the environment's alone is %v", m[1],
				inConfig, listed)
		}
	}
}

// TestTables: a table of peer/tables.py stands between its marks, every section has its marks, and all tables
// that it made are of one commit.
func TestTables(t *testing.T) {
	script, err := os.ReadFile("peer/tables.py")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("docs/PERFORMANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	marked := map[string]bool{}
	for _, m := range regexp.MustCompile(`<!-- table (\w+) -->`).FindAllStringSubmatch(string(text), -1) {
		marked[m[1]] = true
		if !strings.Contains(string(script), `"`+m[1]+`": (`) {
			t.Errorf("peer/tables.py has no section %s", m[1])
		}
	}
	if len(marked) < 8 || strings.Count(string(text), "<!-- end -->") != len(marked) {
		t.Errorf("the marks are of %v", marked)
	}
	commits := map[string]bool{}
	made := regexp.MustCompile("Made by `python3 peer/tables.py [^`]*` at (\\w+)")
	for _, m := range made.FindAllStringSubmatch(string(text), -1) {
		commits[m[1]] = true
	}
	if len(commits) > 1 {
		t.Errorf("tables of %v", commits)
	}
}
