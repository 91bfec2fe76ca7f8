package filecheck

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// find looks for the first match in text, line by line, and notes its captures in vars. It prefers the
// leftmost match of a line, and of these the longest.
func (p *pattern) find(text string, vars map[string]string) (start, end int, err error) {
	match, err := p.matcher(vars)
	if err != nil {
		return 0, 0, err
	}
	for at := 0; ; {
		line, _, more := strings.Cut(text[at:], "\n")
		loc, err := match(line)
		if err != nil {
			return 0, 0, err
		}
		if loc != nil {
			p.capture(line, loc, vars)
			return at + loc[0], at + loc[1], nil
		}
		if !more {
			return 0, 0, errNoMatch
		}
		at += len(line) + 1
	}
}

var errNoMatch = errors.New("finds no match")

// capture notes what the pieces captured; loc is as regexp gives it, one pair for each capture after the
// whole.
func (p *pattern) capture(line string, loc []int, vars map[string]string) {
	for _, pc := range p.pieces {
		if pc.kind == capture {
			loc = loc[2:]
			vars[pc.name] = line[loc[0]:loc[1]]
		}
	}
}

// matcher is a function that finds the pattern in one line, with captures of earlier lines put in.
func (p *pattern) matcher(vars map[string]string) (lineMatcher, error) {
	if p.fixed != nil {
		return regexMatcher(p.fixed), nil
	}
	bound := make([]piece, len(p.pieces))
	here := map[string]bool{} // captured to the left on this very line
	backrefs := false
	for i, pc := range p.pieces {
		bound[i] = pc
		switch value, known := vars[pc.name]; {
		case pc.kind == capture:
			here[pc.name] = true
		case pc.kind != use:
		case here[pc.name]:
			backrefs = true
		case known:
			bound[i] = piece{text: value}
		default:
			return nil, fmt.Errorf("uses %s, which is not captured before", pc.name)
		}
	}
	if backrefs {
		return newBacktracker(bound).find, nil
	}
	re, err := compile(bound)
	if err != nil {
		return nil, err
	}
	return regexMatcher(re), nil
}

// lineMatcher finds a pattern in one line and gives offsets as regexp does: the whole, then each capture;
// nil when it is not there.
type lineMatcher func(line string) ([]int, error)

func regexMatcher(re *regexp.Regexp) lineMatcher {
	return func(line string) ([]int, error) { return re.FindStringSubmatchIndex(line), nil }
}

// backtracker matches a pattern that uses a capture on the line that makes it, which Go's regular
// expressions cannot. It tries all ways, longest first, so a budget bounds it.
type backtracker struct {
	pieces []piece
	trees  []*syntax.Regexp // of the pieces that are regular expressions
	line   string
	saved  map[string][2]int
	best   []int
	steps  int
}

const maxSteps = 1 << 20

func newBacktracker(pieces []piece) *backtracker {
	b := &backtracker{pieces: pieces, trees: make([]*syntax.Regexp, len(pieces))}
	for i, pc := range pieces {
		if pc.kind == regex || pc.kind == capture {
			tree, err := syntax.Parse(pc.text, syntax.Perl)
			if err != nil {
				panic(err) // goRegex parsed it
			}
			b.trees[i] = tree.Simplify()
		}
	}
	return b
}

// find is a lineMatcher. The budget is for all lines together.
func (b *backtracker) find(line string) ([]int, error) {
	b.line, b.best = line, nil
	for start := 0; start <= len(line) && b.best == nil; start++ {
		b.saved = map[string][2]int{}
		b.piece(0, start, start)
	}
	if b.steps > maxSteps {
		return nil, errors.New("there are too many ways to match")
	}
	return b.best, nil
}

// piece matches the pieces from n on at i, and keeps the longest match of all. It reports whether there can
// be no longer one.
func (b *backtracker) piece(n, start, i int) bool {
	if n == len(b.pieces) {
		return b.done(start, i)
	}
	switch pc := b.pieces[n]; pc.kind {
	case use:
		at := b.saved[pc.name]
		return b.text(b.line[at[0]:at[1]], n, start, i)
	case literal:
		return b.text(pc.text, n, start, i)
	case capture:
		old, had := b.saved[pc.name]
		full := b.tree(b.trees[n], i, func(j int) bool {
			b.saved[pc.name] = [2]int{i, j}
			return b.piece(n+1, start, j)
		})
		if had {
			b.saved[pc.name] = old
		}
		return full
	}
	return b.tree(b.trees[n], i, func(j int) bool { return b.piece(n+1, start, j) })
}

func (b *backtracker) text(text string, n, start, i int) bool {
	return strings.HasPrefix(b.line[i:], text) && b.piece(n+1, start, i+len(text))
}

func (b *backtracker) done(start, end int) bool {
	if b.best == nil || end > b.best[1] {
		b.best = []int{start, end}
		for _, pc := range b.pieces {
			if pc.kind == capture {
				at := b.saved[pc.name]
				b.best = append(b.best, at[0], at[1])
			}
		}
	}
	return end == len(b.line)
}

// tree matches a regular expression at i and calls then with each place where it can end, until then
// reports true.
func (b *backtracker) tree(re *syntax.Regexp, i int, then func(int) bool) bool {
	if b.steps++; b.steps > maxSteps {
		return false
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return then(i)
	case syntax.OpLiteral:
		text := string(re.Rune)
		return strings.HasPrefix(b.line[i:], text) && then(i+len(text))
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		r, size := utf8.DecodeRuneInString(b.line[i:])
		return size > 0 && (re.Op != syntax.OpCharClass || inClass(re.Rune, r)) && then(i+size)
	case syntax.OpBeginLine, syntax.OpBeginText:
		return i == 0 && then(i)
	case syntax.OpEndLine, syntax.OpEndText:
		return i == len(b.line) && then(i)
	case syntax.OpCapture:
		return b.tree(re.Sub[0], i, then)
	case syntax.OpConcat:
		return b.concat(re.Sub, i, then)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if b.tree(sub, i, then) {
				return true
			}
		}
		return false
	case syntax.OpQuest:
		return b.tree(re.Sub[0], i, then) || then(i)
	case syntax.OpStar:
		return b.star(re.Sub[0], i, then)
	case syntax.OpPlus:
		return b.tree(re.Sub[0], i, func(j int) bool { return b.star(re.Sub[0], j, then) })
	}
	return false // OpNoMatch; Simplify leaves no other
}

func (b *backtracker) concat(subs []*syntax.Regexp, i int, then func(int) bool) bool {
	if len(subs) == 0 {
		return then(i)
	}
	return b.tree(subs[0], i, func(j int) bool { return b.concat(subs[1:], j, then) })
}

// star repeats as often as it can, then less often. A round that takes nothing ends it.
func (b *backtracker) star(sub *syntax.Regexp, i int, then func(int) bool) bool {
	return b.tree(sub, i, func(j int) bool { return j > i && b.star(sub, j, then) }) || then(i)
}

// inClass looks r up in a list of ranges, as package syntax writes them.
func inClass(ranges []rune, r rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}
