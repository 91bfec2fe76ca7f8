package python

import (
	"bytes"
	"compress/gzip"
	_ "embed" // for the tables
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Tables of Unicode 15.0 that Go's standard library does not have. They are unpacked when a program first
// needs them: few hold a name that is not ASCII or an escape \N{…}.

//go:generate python3 unidata/gen.py unidata/aliases.txt

var (
	//go:embed unidata/nfkc.txt.gz
	nfkcData []byte
	//go:embed unidata/names.txt.gz
	namesData []byte
)

func unpack(data []byte) string {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err != nil {
		panic("python: damaged table: " + err.Error()) // it is part of the program
	}
	return string(data)
}

// IsIdentifier reports whether a text can be the name of a variable.
func IsIdentifier(s string) bool {
	for i, r := range s {
		if i == 0 && !isNameStart(r) || !isNameContinue(r) {
			return false
		}
	}
	_, keyword := keywords[s]
	return s != "" && !keyword
}

// isNameStart and isNameContinue are XID_Start and XID_Continue of UAX #31: the classes of ID_Start and
// ID_Continue less what normalisation would turn into something else.
func isNameStart(r rune) bool {
	if r < utf8.RuneSelf {
		return class[r]&cNameStart != 0
	}
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) &&
		!unicode.In(r, unicode.Pattern_Syntax, notXIDStart)
}

func isNameContinue(r rune) bool {
	if r < utf8.RuneSelf {
		return class[r]&(cNameStart|cDigit) != 0
	}
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start, unicode.Mn, unicode.Mc, unicode.Nd,
		unicode.Pc, unicode.Other_ID_Continue) && !unicode.In(r, unicode.Pattern_Syntax, notXIDContinue)
}

var (
	notXIDContinue = &unicode.RangeTable{R16: []unicode.Range16{
		{0x037A, 0x037A, 1}, {0x309B, 0x309C, 1}, {0xFC5E, 0xFC63, 1}, {0xFDFA, 0xFDFB, 1},
		{0xFE70, 0xFE70, 1}, {0xFE72, 0xFE72, 1}, {0xFE74, 0xFE74, 1}, {0xFE76, 0xFE76, 1},
		{0xFE78, 0xFE78, 1}, {0xFE7A, 0xFE7A, 1}, {0xFE7C, 0xFE7C, 1}, {0xFE7E, 0xFE7E, 1},
	}}
	notXIDStart = &unicode.RangeTable{R16: slices.Concat([]unicode.Range16{
		{0x037A, 0x037A, 1}, {0x0E33, 0x0E33, 1}, {0x0EB3, 0x0EB3, 1},
	}, notXIDContinue.R16[1:], []unicode.Range16{{0xFF9E, 0xFF9F, 1}})}
)

// normalTables has the tables that normalisation needs.
type normalTables struct {
	decompose map[rune][]rune
	class     map[rune]uint8
	compose   map[[2]rune]rune
}

var normal = sync.OnceValue(func() *normalTables {
	t := &normalTables{map[rune][]rune{}, map[rune]uint8{}, map[[2]rune]rune{}}
	for line := range strings.Lines(unpack(nfkcData)) {
		f := strings.Fields(line)
		n := make([]rune, len(f)-1)
		for i, s := range f[1:] {
			v, _ := strconv.ParseUint(s, 16, 32)
			n[i] = rune(v)
		}
		switch f[0] {
		case "D":
			t.decompose[n[0]] = n[1:]
		case "O":
			t.class[n[0]] = uint8(n[1])
		case "C":
			t.compose[[2]rune{n[0], n[1]}] = n[2]
		}
	}
	return t
})

// nfkc returns a name in the normalisation form in which Python compares names.
func nfkc(s string) string {
	t := normal()
	var out []rune
	for _, r := range s {
		out = t.appendDecomposed(out, r)
	}
	t.order(out)
	return string(t.composed(out))
}

// Hangul syllables are decomposed by arithmetic (section 3.12 of the standard).
const (
	hangulBase, hangulL, hangulV, hangulT = 0xAC00, 0x1100, 0x1161, 0x11A7
	hangulLs, hangulVs, hangulTs          = 19, 21, 28
	hangulCount                           = hangulLs * hangulVs * hangulTs
)

func (t *normalTables) appendDecomposed(out []rune, r rune) []rune {
	if i := r - hangulBase; i >= 0 && i < hangulCount {
		out = append(out, hangulL+i/(hangulVs*hangulTs), hangulV+i%(hangulVs*hangulTs)/hangulTs)
		if i%hangulTs != 0 {
			out = append(out, hangulT+i%hangulTs)
		}
		return out
	}
	if d, ok := t.decompose[r]; ok {
		return append(out, d...)
	}
	return append(out, r)
}

// order sorts every run of combining characters by their class.
func (t *normalTables) order(s []rune) {
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && t.class[s[j]] != 0 {
			j++
		}
		slices.SortStableFunc(s[i:j], func(a, b rune) int { return int(t.class[a]) - int(t.class[b]) })
		i = j + 1
	}
}

// composed joins characters with the starter before them where nothing stands in between. It works in place.
func (t *normalTables) composed(s []rune) []rune {
	out := s[:0]
	starter := -1    // index in out
	last := uint8(0) // class of the character before
	for _, r := range s {
		c := t.class[r]
		if starter >= 0 && (len(out)-1 == starter || last < c && last != 0) {
			if x, ok := t.pair(out[starter], r); ok {
				out[starter] = x
				continue
			}
		}
		if c == 0 {
			starter = len(out)
		}
		last = c
		out = append(out, r)
	}
	return out
}

func (t *normalTables) pair(a, b rune) (rune, bool) {
	if l, v := a-hangulL, b-hangulV; l >= 0 && l < hangulLs && v >= 0 && v < hangulVs {
		return hangulBase + (l*hangulVs+v)*hangulTs, true
	}
	if i, n := a-hangulBase, b-hangulT; i >= 0 && i < hangulCount && i%hangulTs == 0 && n > 0 &&
		n < hangulTs {
		return a + n, true
	}
	r, ok := t.compose[[2]rune{a, b}]
	return r, ok
}

var characterNames = sync.OnceValue(func() string { return "\n" + unpack(namesData) })

// lookupName finds a character by its name in Unicode, in whatever case, as \N{…} does.
func lookupName(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if r, ok := ruleName(name); ok {
		return r, true
	}
	if name == "" || strings.ContainsAny(name, "\n\t") {
		return 0, false
	}
	_, rest, ok := strings.Cut(characterNames(), "\n"+name+"\t")
	if !ok {
		return 0, false
	}
	hex, _, _ := strings.Cut(rest, "\n")
	v, err := strconv.ParseUint(hex, 16, 32)
	return rune(v), err == nil
}

// ruleName finds the characters whose names follow from a rule.
func ruleName(name string) (rune, bool) {
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		v, err := strconv.ParseUint(hex, 16, 32)
		r := rune(v)
		return r, err == nil && fmt.Sprintf("%04X", v) == hex && unicode.Is(unicode.Unified_Ideograph, r)
	}
	syllable, ok := strings.CutPrefix(name, "HANGUL SYLLABLE ")
	if !ok {
		return 0, false
	}
	l := longestPrefix(syllable, hangulLeads)
	v := longestPrefix(syllable[len(hangulLeads[l]):], hangulVowels)
	if v < 0 {
		return 0, false
	}
	t := slices.Index(hangulTails, syllable[len(hangulLeads[l])+len(hangulVowels[v]):])
	return rune(hangulBase + (l*hangulVs+v)*hangulTs + t), t >= 0
}

// longestPrefix returns the index of the longest of the parts that s begins with, or -1.
func longestPrefix(s string, parts []string) int {
	best := -1
	for i, part := range parts {
		if strings.HasPrefix(s, part) && (best < 0 || len(part) > len(parts[best])) {
			best = i
		}
	}
	return best
}

var (
	hangulLeads = []string{"G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K",
		"T", "P", "H"}

	hangulVowels = []string{"A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U",
		"WEO", "WE", "WI", "YU", "EU", "YI", "I"}

	hangulTails = []string{"", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT",
		"LP", "LH", "M", "B", "BS", "S", "SS", "NG", "J", "C", "K", "T", "P", "H"}
)
