package python

// indentation skips blank lines and comments, measures the indentation of the next line that has something on
// it and emits the indent or the unindents that it means. It reports false at the end of the text.
func (l *lexer) indentation() bool {
	for {
		start := l.off
		in, ok := l.measure()
		if !ok {
			return true
		}
		switch c := l.src[l.off]; {
		case c == '#':
			for l.off < l.end && !isEOL(l.src[l.off]) {
				l.off++
			}
			l.newline()
		case isEOL(c):
			l.newline()
		case l.off == l.end:
			return false
		default:
			l.compare(in, start)
			return true
		}
	}
}

// measure steps over the white space before a line. A backslash in it joins the next line, whose white space
// does not count then (unless the backslash stands in the first column: CPython's own way).
func (l *lexer) measure() (in indent, ok bool) {
	first := 0 // the column of the first backslash
	for ; ; l.off++ {
		switch l.src[l.off] {
		case ' ':
			in.col++
			in.alt++
		case '\t':
			in.col = (in.col/8 + 1) * 8
			in.alt++
		case '\f':
			in = indent{}
		case '\\':
			if first == 0 {
				first = in.col
			}
			before := len(l.toks)
			l.continuation()
			if len(l.toks) > before {
				return in, false
			}
			l.off-- // the loop adds one
		default:
			if first != 0 {
				in = indent{first, first}
			}
			return in, true
		}
	}
}

// compare relates a line's indentation to that of the blocks it may be in.
func (l *lexer) compare(in indent, start int) {
	top := l.indents[len(l.indents)-1]
	switch {
	case in.col == top.col:
		if in.alt != top.alt {
			l.tabError(start)
		}
	case in.col > top.col:
		if in.alt <= top.alt {
			l.tabError(start)
		}
		if len(l.indents) >= maxIndents {
			l.errorf(start, l.off, codeNesting, "", "too many levels of indentation (the limit is %d)",
				maxIndents)
			return
		}
		l.indents = append(l.indents, in)
		l.emit(kIndent, start)
	default:
		l.dedent(in, start)
	}
}

func (l *lexer) dedent(in indent, start int) {
	for in.col < l.indents[len(l.indents)-1].col {
		l.indents = l.indents[:len(l.indents)-1]
		l.emit(kDedent, l.off)
	}
	top := &l.indents[len(l.indents)-1]
	if in.col != top.col {
		l.errorf(start, l.off, codeIndent, "", "this line's indentation matches no block before it")
		return // as if it were that of the block around it
	}
	if in.alt != top.alt {
		l.tabError(start)
	}
}

func (l *lexer) tabError(start int) {
	l.errorf(start, l.off, codeIndent, "indent with spaces only", "tabs and spaces are mixed in indentation")
}
