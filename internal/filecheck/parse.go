package filecheck

import (
	"regexp"
	"strconv"
	"strings"
)

// kind is what a directive asks.
type kind uint8

const (
	plain kind = iota
	next
	same
	empty
	not
	dag
	label
	count
	end // the end of the input, which every script closes with
)

var kinds = map[string]kind{
	"": plain, "NEXT": next, "SAME": same, "EMPTY": empty, "NOT": not, "DAG": dag, "LABEL": label,
}

// directive is one CHECK line.
type directive struct {
	kind  kind
	times int // of a CHECK-COUNT-n, else 1
	pat   pattern
	line  int
	text  string // as written
}

// step is a directive that must match, with the CHECK-DAG and CHECK-NOT lines before it.
type step struct {
	directive
	before []directive
}

// Script is a sequence of directives, read and checked.
type Script struct{ steps []step }

var (
	blanks  = regexp.MustCompile(`[ \t]+`)
	comment = regexp.MustCompile(`(?:^|[^\w-])(?:COM|RUN):`)
)

// Parse reads the directives that begin with a prefix, such as CHECK. All other text is passed over.
func Parse(text, prefix string) (*Script, error) {
	find := regexp.MustCompile(`(?:^|[^\w-])(` + regexp.QuoteMeta(prefix) +
		`(?:-([A-Z0-9-]+))?(\{LITERAL\})?:)(.*)`)
	s := &Script{}
	var before []directive
	n := 0
	for line := range strings.Lines(canonical(text)) {
		n++
		at := find.FindStringSubmatchIndex(line)
		if at == nil || comment.MatchString(line[:at[3]]) {
			continue
		}
		d, err := parseDirective(n, find.FindStringSubmatch(line))
		if err != nil {
			return nil, err
		}
		switch {
		case d.kind == not || d.kind == dag:
			before = append(before, d)
			continue
		case len(s.steps) == 0 && (d.kind == next || d.kind == same || d.kind == empty):
			return nil, d.errorf("needs an earlier line that it follows")
		}
		s.steps = append(s.steps, step{d, before})
		before = nil
	}
	if len(s.steps) == 0 && len(before) == 0 {
		return nil, &Error{Msg: "no " + prefix + " lines"}
	}
	s.steps = append(s.steps, step{directive{kind: end, times: 1}, before})
	return s, nil
}

// parseDirective makes a directive of the parts of its line: all, "CHECK-NEXT:", "NEXT", "{LITERAL}", text.
func parseDirective(line int, part []string) (directive, error) {
	text := strings.TrimSpace(part[4])
	d := directive{times: 1, line: line, text: strings.TrimSpace(part[1] + " " + text)}
	suffix := part[2]
	if n, ok := strings.CutPrefix(suffix, "COUNT-"); ok {
		var err error
		if d.times, err = strconv.Atoi(n); err != nil || d.times < 1 {
			return d, d.errorf("a count is a number from 1 up")
		}
		d.kind = count
	} else if d.kind, ok = kinds[suffix]; !ok {
		return d, d.errorf("no such directive")
	}
	if d.kind == empty {
		if text != "" {
			return d, d.errorf("an empty line takes no text")
		}
		return d, nil
	}
	if text == "" {
		return d, d.errorf("there is no text to match")
	}
	read := parsePattern
	if part[3] != "" {
		read = literalPattern
	}
	var wrong string
	if d.pat, wrong = read(text); wrong != "" {
		return d, d.errorf(wrong)
	}
	if d.kind == label && d.pat.hasVariables() {
		return d, d.errorf("a label neither captures nor uses a variable")
	}
	return d, nil
}

func (d directive) errorf(msg string) *Error {
	return &Error{CheckLine: d.line, Directive: d.text, Msg: msg}
}

// canonical is the text with each run of blanks as one space, Unix line ends, and nothing that is not
// UTF-8, which regular expressions do not take.
func canonical(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return blanks.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), " ")
}
