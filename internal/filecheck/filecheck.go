// Package filecheck checks a text against CHECK lines, as LLVM's FileCheck does: lines that must occur in
// order, with what may stand between them left open. Tests use it for properties of large IR, where the
// whole text would change with every unrelated change of printing.
//
//	CHECK: text          text occurs after the previous match
//	CHECK-NEXT: text     … on the next line
//	CHECK-SAME: text     … on the same line
//	CHECK-EMPTY:         the next line is empty
//	CHECK-NOT: text      text does not occur between the matches around this line
//	CHECK-DAG: text      several of them match in any order, without overlap
//	CHECK-LABEL: text    cuts the input into blocks; other lines match only inside their own block
//	CHECK-COUNT-3: text  three matches, one after the other
//
// In a text, {{regex}} is a POSIX extended regular expression, [[NAME:regex]] captures what it matches, and
// [[NAME]] is what was captured, on the same line too. A directive followed by {LITERAL}, as in
// CHECK{LITERAL}:, takes its text as it is. Runs of spaces and tabs count as one space. A match never goes
// beyond its line.
//
// Where LLVM's FileCheck is installed, the tests hold both to the same verdict. Two things differ on
// purpose: numeric expressions, [[#…]], are not supported, and a directive that does not exist, such as
// CHECK-NXT:, is an error where LLVM passes over it.
package filecheck

import "fmt"

// Check reads the directives in checks, which begin with CHECK, and matches the input against them. The
// error says which directive failed and where in the input.
func Check(checks, input string) error {
	s, err := Parse(checks, "CHECK")
	if err != nil {
		return err
	}
	return s.Match(input)
}

// An Error says which directive failed. Lines count from 1; InputLine is 0 when the input has no part in it.
type Error struct {
	CheckLine int
	Directive string // as written: "CHECK-NEXT: ret"
	Msg       string
	InputLine int
	InputText string
	InputNote string // what is at that line
}

func (e *Error) Error() string {
	if e.CheckLine == 0 {
		return "checks: " + e.Msg
	}
	text := fmt.Sprintf("checks:%d: %s\n    %s", e.CheckLine, e.Msg, e.Directive)
	if e.InputLine > 0 {
		text += fmt.Sprintf("\ninput:%d: %s\n    %s", e.InputLine, e.InputNote, e.InputText)
	}
	return text
}
