package python

// token is a piece of the text. Names, numbers and strings are looked up in the text when they are needed.
type token struct {
	kind kind
	// a name that is not all ASCII, an f-string's text that holds a backslash or a doubled brace
	odd        bool
	start, end int32 // byte offsets in the text
}

// kind is the kind of a token.
type kind uint8

const (
	kBad kind = iota // what follows an error, up to the end of the statement
	kEOF
	kNewline
	kIndent
	kDedent
	kName
	kNumber
	kString
	kFStart  // f" and the like
	kFMiddle // text of an f-string
	kFEnd

	// Operators and delimiters, in the order of kindText.
	kLParen
	kRParen
	kLBrack
	kRBrack
	kLBrace
	kRBrace
	kComma
	kColon
	kSemi
	kDot
	kEllipsis
	kArrow
	kWalrus
	kExclam // before a conversion in an f-string
	kAssign
	kEq
	kNotEq
	kLt
	kLtE
	kGt
	kGtE
	kTilde
	kPlus // the binary operators, in the order of Operator
	kMinus
	kStar
	kAt
	kSlash
	kPercent
	kPower
	kLShift
	kRShift
	kPipe
	kCaret
	kAmp
	kFloor
	kPlusAssign // the augmented assignments, in the order of Operator
	kMinusAssign
	kStarAssign
	kAtAssign
	kSlashAssign
	kPercentAssign
	kPowerAssign
	kLShiftAssign
	kRShiftAssign
	kPipeAssign
	kCaretAssign
	kAmpAssign
	kFloorAssign

	// Keywords.
	kFalse
	kNone
	kTrue
	kAnd
	kAs
	kAssert
	kAsync
	kAwait
	kBreak
	kClass
	kContinue
	kDef
	kDel
	kElif
	kElse
	kExcept
	kFinally
	kFor
	kFrom
	kGlobal
	kIf
	kImport
	kIn
	kIs
	kLambda
	kNonlocal
	kNot
	kOr
	kPass
	kRaise
	kReturn
	kTry
	kWhile
	kWith
	kYield
	numKinds
)

var kindText = [numKinds]string{
	kBad: "error", kEOF: "end of file", kNewline: "end of line", kIndent: "indent", kDedent: "unindent",
	kName: "name", kNumber: "number", kString: "string", kFStart: "f-string", kFMiddle: "text",
	kFEnd: "end of f-string",

	kLParen: "(", kRParen: ")", kLBrack: "[", kRBrack: "]", kLBrace: "{", kRBrace: "}", kComma: ",",
	kColon: ":",
	kSemi:  ";", kDot: ".", kEllipsis: "...", kArrow: "->", kWalrus: ":=", kExclam: "!", kAssign: "=",
	kEq:    "==",
	kNotEq: "!=", kLt: "<", kLtE: "<=", kGt: ">", kGtE: ">=", kTilde: "~",
	kPlus: "+", kMinus: "-", kStar: "*", kAt: "@", kSlash: "/", kPercent: "%", kPower: "**", kLShift: "<<",
	kRShift: ">>", kPipe: "|", kCaret: "^", kAmp: "&", kFloor: "//",
	kPlusAssign: "+=", kMinusAssign: "-=", kStarAssign: "*=", kAtAssign: "@=", kSlashAssign: "/=",
	kPercentAssign: "%=", kPowerAssign: "**=", kLShiftAssign: "<<=", kRShiftAssign: ">>=", kPipeAssign: "|=",
	kCaretAssign: "^=", kAmpAssign: "&=", kFloorAssign: "//=",

	kFalse: "False", kNone: "None", kTrue: "True", kAnd: "and", kAs: "as", kAssert: "assert", kAsync: "async",
	kAwait: "await", kBreak: "break", kClass: "class", kContinue: "continue", kDef: "def", kDel: "del",
	kElif: "elif",
	kElse: "else", kExcept: "except", kFinally: "finally", kFor: "for", kFrom: "from", kGlobal: "global",
	kIf:     "if",
	kImport: "import", kIn: "in", kIs: "is", kLambda: "lambda", kNonlocal: "nonlocal", kNot: "not", kOr: "or",
	kPass: "pass", kRaise: "raise", kReturn: "return", kTry: "try", kWhile: "while", kWith: "with",
	kYield: "yield",
}

func (k kind) isKeyword() bool  { return k >= kFalse && k <= kYield }
func (k kind) isOperator() bool { return k >= kLParen && k <= kFloorAssign }

// String returns a token as messages name it: quoted where it is written that way.
func (k kind) String() string {
	if k.isKeyword() || k.isOperator() {
		return "'" + kindText[k] + "'"
	}
	return kindText[k]
}

// keywords has the kinds of words; a word that is not in it is a name.
var keywords = func() map[string]kind {
	m := map[string]kind{}
	for k := kFalse; k <= kYield; k++ {
		m[kindText[k]] = k
	}
	return m
}()

// Character classes of the ASCII range; bytes from 0x80 on may be part of a name.
const (
	cNameStart = 1 << iota
	cDigit
	cHex
	cKeyword // may begin a keyword
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80:
			t[c] |= cNameStart
		case c >= '0' && c <= '9':
			t[c] |= cDigit | cHex
		}
		if c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' {
			t[c] |= cHex
		}
	}
	for word := range keywords {
		t[word[0]] |= cKeyword
	}
	return t
}()
