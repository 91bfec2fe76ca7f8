package diag

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// JSONError returns an error of encoding/json about data in words for people: with line and column, and
// without names of Go's types. Other errors stay as they are.
func JSONError(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: %s", placeIn(data, syntax.Offset-1), syntax)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s must be %s and is %s", placeIn(data, kind.Offset-1),
			cmp.Or(kind.Field, "the document"), jsonKind(kind.Type), article(kind.Value))
	}
	return err
}

// placeIn returns the line and column of a byte of data.
func placeIn(data []byte, at int64) string {
	head := data[:min(max(at, 0), int64(len(data)))]
	line := bytes.LastIndexByte(head, '\n') + 1
	return fmt.Sprintf("line %d, column %d", 1+bytes.Count(head, []byte("\n")), 1+utf8.RuneCount(head[line:]))
}

// jsonKind names what JSON has to hold for a value of a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "an integer"
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
