package code

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
)

// filled gives every field below v a value of its own that is not zero.
func filled(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				filled(v.Field(i), n)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, "{\n   \"n\": %d\n }", *n)) // as it is indented there
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled(v.Index(i), n)
		}
	case reflect.Array:
		for i := range v.Len() {
			filled(v.Index(i), n)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		filled(key, n)
		filled(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n%100 + 1))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n%100 + 1))
	}
}

// TestSavedFields: a file of compiled code keeps every field, of its forms and of what they say to launches,
// too.
func TestSavedFields(t *testing.T) {
	var s Saved
	n := 0
	filled(reflect.ValueOf(&s).Elem(), &n)
	s.Size, s.Options.Debug = len(s.Code), device.DebugOn // an enumeration, kept as a bool
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadSaved(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compact(&s)
	compact(back)
	if !reflect.DeepEqual(back, &s) {
		t.Errorf("%+v\nis read as\n%+v", s, *back)
	}
	if n < 60 {
		t.Errorf("%d fields", n)
	}
}

// compact removes what indenting adds to raw JSON.
func compact(s *Saved) {
	fix := func(m *json.RawMessage) {
		var b bytes.Buffer
		if json.Compact(&b, *m) == nil {
			*m = b.Bytes()
		}
	}
	fix(&s.Meta)
	for i := range s.Forms {
		fix(&s.Forms[i].Meta)
	}
}
