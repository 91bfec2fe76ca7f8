package code

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
)

func sample() *Saved {
	return &Saved{
		Kernel: "k", File: "k.py", Signature: "*fp32:16, i8, i64, 16", Target: "cuda:90", Machine: "sm_90a",
		Stage: "ptx", Code: []byte("code\n\x00"), Params: []SavedParam{{"x", "*fp32:16", false},
			{"a", "i8", false}, {"n", "i64", false}, {"B", "16", true}},
		Args: Args([]device.Param{{Name: "x", Pointer: true, Type: "fp32"}, {Name: "a", Type: "i8"},
			{Name: "n", Type: "i64"}}, []int{8, 1, 8}),
	}
}

// What is encoded is read back; arguments lie at multiples of their sizes.
func TestSaved(t *testing.T) {
	s := sample()
	if s.Args[1].Offset != 8 || s.Args[2].Offset != 16 || s.Args[2].Size != 8 {
		t.Errorf("%+v", s.Args)
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadSaved(bytes.NewReader(data))
	if err != nil || !reflect.DeepEqual(back, s) {
		t.Fatalf("%v\n%+v\n%+v", err, back, s)
	}
	params, specs, err := back.LaunchSpecs()
	if err != nil || len(params) != 3 || !specs[0].Div16 || params[1].Type != "i8" || !params[2].NoAlign {
		t.Errorf("%v: %+v", err, params)
	}
}

// No text is read as a saved kernel but one that Encode wrote, and none panics.
func FuzzReadSaved(f *testing.F) {
	data, err := sample().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(savedMagic + " 00 5\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSaved(bytes.NewReader(data))
		if err != nil {
			return
		}
		s.LaunchSpecs()
		if _, err := s.Encode(); err != nil {
			t.Error(err)
		}
	})
}
