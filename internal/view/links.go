package view

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// located is the text of a stage as lines without location information, with the places of each.
type located struct {
	lines  []string
	places [][]Place // innermost first
}

func (l *located) add(line string, places []Place) {
	l.lines = append(l.lines, line)
	l.places = append(l.places, places)
}

// read takes the location information out of a stage's text.
func read(stage string, text []byte) *located {
	switch stage {
	case "source", "ttir", "ttgir", "linalg":
		return readMLIR(string(text))
	case "llir":
		return readLLVM(string(text))
	default:
		return readAssembly(string(text))
	}
}

var (
	locAlias = regexp.MustCompile(`^(#loc\d*) = loc\(`)
	locPart  = regexp.MustCompile(`#loc\d*|"((?:[^"\\]|\\.)*)":(\d+):(\d+)`)
)

// readMLIR reads MLIR's text: locations stand behind operations, mostly as aliases that lines of their own
// define.
func readMLIR(text string) *located {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	r := mlirReader{defs: map[string]string{}, known: map[string][]Place{}}
	for _, line := range lines {
		if m := locAlias.FindStringSubmatch(line); m != nil {
			r.defs[m[1]] = line[len(m[0]):]
		}
	}
	out := &located{}
	var open []int // lines that begin a region
	for _, line := range lines {
		if locAlias.MatchString(line) {
			continue
		}
		bare, loc := cutLocs(line)
		places := r.places(loc)
		at := len(out.lines)
		trimmed := strings.TrimSpace(bare)
		if strings.HasPrefix(trimmed, "}") && len(open) > 0 {
			// the location of an operation with regions stands behind its last line
			first := open[len(open)-1]
			open = open[:len(open)-1]
			if strings.HasSuffix(trimmed, "{") {
				open = append(open, first)
			} else if len(out.places[first]) == 0 {
				out.places[first] = places
			}
		} else if strings.HasSuffix(trimmed, "{") {
			open = append(open, at)
			places = nil // those of the arguments
		}
		if strings.HasPrefix(trimmed, "^bb") {
			places = nil
		}
		out.add(bare, places)
	}
	return out
}

type mlirReader struct {
	defs  map[string]string
	known map[string][]Place
}

// places returns the places of a location, innermost first.
func (r *mlirReader) places(loc string) (out []Place) {
	for _, m := range locPart.FindAllStringSubmatch(loc, -1) {
		if m[0][0] == '#' {
			out = append(out, r.alias(m[0])...)
			continue
		}
		line, err := strconv.Atoi(m[2])
		if err == nil && line > 0 {
			out = append(out, Place{m[1], line})
		}
	}
	return unique(out)
}

func (r *mlirReader) alias(name string) []Place {
	if p, ok := r.known[name]; ok {
		return p
	}
	r.known[name] = nil // a definition that leads to itself ends here
	p := r.places(r.defs[name])
	r.known[name] = p
	return p
}

// unique removes places that came before.
func unique(list []Place) (out []Place) {
	for _, p := range list {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// cutLocs returns a line without its locations, and the last of them.
func cutLocs(line string) (bare, loc string) {
	var b strings.Builder
	for {
		i := strings.Index(line, " loc(")
		if i < 0 {
			break
		}
		end := closing(line[i+4:])
		if end < 0 {
			break
		}
		b.WriteString(line[:i])
		loc = line[i+5 : i+4+end]
		line = line[i+5+end:]
	}
	b.WriteString(line)
	return b.String(), loc
}

// closing returns the index of the parenthesis that closes the one at the start, or -1.
func closing(s string) int {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// callers maps an innermost place to the places of the calls around it, as TTIR knows them. LLVM IR and what
// follows it know the innermost alone.
type callers map[Place][]Place

func (c callers) add(l *located) {
	for _, places := range l.places {
		if len(places) > 1 {
			c[places[0]] = unique(append(c[places[0]], places[1:]...))
		}
	}
}

// extend adds the calls around places that have none.
func (c callers) extend(l *located) {
	for i, places := range l.places {
		if len(places) == 1 {
			l.places[i] = append(slices.Clone(places), c[places[0]]...)
		}
	}
}
