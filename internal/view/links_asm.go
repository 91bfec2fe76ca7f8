package view

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

var (
	metaDef    = regexp.MustCompile(`^(!\d+) = (?:distinct )?!(DI[A-Za-z]+)\((.*)\)`)
	metaField  = regexp.MustCompile(`(\w+): ("(?:[^"\\]|\\.)*"|[^,)]+)`)
	debugMark  = regexp.MustCompile(`,? !dbg (!\d+)`)
	asmFile    = regexp.MustCompile(`^\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?`)
	asmLoc     = regexp.MustCompile(`^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+`)
	asmSection = regexp.MustCompile(`^\s*\.(section|text|data|rodata)\b\s*"?([\w.]*)`)
	asmNoise   = regexp.MustCompile(`^\s*\.cfi_|^\.Ltmp\d+:|^\$L__tmp\d+:`)
)

// readLLVM reads LLVM IR: instructions name metadata that has line and scope.
func readLLVM(text string) *located {
	defs := map[string]map[string]string{}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, line := range lines {
		if m := metaDef.FindStringSubmatch(line); m != nil {
			fields := map[string]string{}
			for _, f := range metaField.FindAllStringSubmatch(m[3], -1) {
				fields[f[1]] = strings.Trim(f[2], `"`)
			}
			defs[m[1]] = fields
		}
	}
	known := map[string][]Place{}
	out := &located{}
	for _, line := range lines {
		if metaDef.MatchString(line) {
			continue
		}
		var places []Place
		if m := debugMark.FindStringSubmatch(line); m != nil {
			if _, ok := known[m[1]]; !ok {
				known[m[1]] = llvmPlaces(defs, m[1])
			}
			places = known[m[1]]
			line = debugMark.ReplaceAllString(line, "")
		}
		out.add(line, places)
	}
	return out
}

// llvmPlaces returns the places of a DILocation, or of a DISubprogram, innermost first.
func llvmPlaces(defs map[string]map[string]string, id string) (out []Place) {
	for range 64 { // a chain that does not end is no chain
		d := defs[id]
		if d == nil {
			break
		}
		line, err := strconv.Atoi(d["line"])
		if file := llvmFile(defs, id); err == nil && line > 0 && file != "" {
			out = append(out, Place{file, line})
		}
		id = d["inlinedAt"]
	}
	return unique(out)
}

// llvmFile returns the file of a piece of metadata: its own, or that of the scope around it.
func llvmFile(defs map[string]map[string]string, id string) string {
	for range 64 {
		d := defs[id]
		if d == nil {
			return ""
		}
		if f := defs[d["file"]]; f != nil {
			return joined(f["directory"], f["filename"])
		}
		id = d["scope"]
	}
	return ""
}

func joined(dir, name string) string {
	if dir == "" || path.IsAbs(name) {
		return name
	}
	return dir + "/" + name
}

// readAssembly reads PTX, AMD's and a CPU's assembly: a .loc holds for the instructions that follow it.
func readAssembly(text string) *located {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	files := map[string]string{}
	for _, line := range lines {
		if m := asmFile.FindStringSubmatch(line); m != nil {
			files[m[1]] = m[2]
			if m[3] != "" {
				files[m[1]] = joined(m[2], m[3])
			}
		}
	}
	out := &located{}
	var at []Place
	debug := false
	for _, line := range lines {
		if m := asmSection.FindStringSubmatch(line); m != nil {
			debug = strings.HasPrefix(m[2], ".debug")
		}
		if m := asmLoc.FindStringSubmatch(line); m != nil {
			at = nil
			if n, err := strconv.Atoi(m[2]); err == nil && n > 0 && files[m[1]] != "" {
				at = []Place{{files[m[1]], n}}
			}
			continue
		}
		if debug || asmNoise.MatchString(line) || asmFile.MatchString(line) {
			continue
		}
		places := at
		if !isInstruction(line) {
			places = nil
		}
		out.add(line, places)
		if strings.HasPrefix(line, "}") || strings.HasPrefix(line, ".Lfunc_end") {
			at = nil
		}
	}
	return out
}

// isInstruction reports whether a line of assembly is no directive, label or comment.
func isInstruction(line string) bool {
	t := strings.TrimSpace(line)
	return t != "" && !strings.ContainsRune(".;#{}", rune(t[0])) && !strings.HasPrefix(t, "//") &&
		!strings.HasSuffix(t, ":")
}
