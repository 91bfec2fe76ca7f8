package code

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
)

// Variant names a specialization of a kernel.
type Variant struct {
	File      string         `json:"file"`
	Kernel    string         `json:"kernel"`
	Signature string         `json:"signature"` // in the form of lang.ParseSignature
	Options   device.Options `json:"options"`
	Triton    string         `json:"triton,omitempty"` // the release of the language; "" is 3.6

	// Form names the launches for which code was made besides that for any launch (Form); "" if it is that.
	Form string `json:"form,omitempty"`
}

// Form returns the name of the form of code of a way: "" for the code that any launch begins with.
func Form(way device.Way) string {
	if way == device.AnyLaunch || way.IsGeneral() {
		return ""
	}
	return way.String()
}

// String returns the variant on one line, with Triton's names of the options.
func (v Variant) String() string {
	text := fmt.Sprintf("%s:%s(%s)", v.File, v.Kernel, v.Signature)
	o := reflect.ValueOf(v.Options)
	for i := range o.NumField() {
		name, _, _ := strings.Cut(o.Type().Field(i).Tag.Get("json"), ",")
		if f := o.Field(i); !f.IsZero() && (name != "num_ctas" || f.Int() != 1) {
			text += fmt.Sprintf(" %s=%v", name, f)
		}
	}
	if v.Form != "" {
		text += " (" + v.Form + ")"
	}
	if v.Triton != "" {
		text += " triton=" + v.Triton
	}
	return text
}

// ErrNotCompiled is wrapped by the error of a launch in strict mode that would have to compile or tune.
var ErrNotCompiled = errors.New("not compiled ahead of time, and the configuration is strict")
