package stray

import "testing"

// An index counts elements of the tensor, however many of them an instruction takes at once, and is outside
// of it.
func TestText(t *testing.T) {
	for _, test := range []struct {
		access Access
		want   string
	}{
		{Access{Size: 4, Offset: 64, Bytes: 64},
			"out of bounds load of 4 bytes: index 16 of x, which has 16 elements"},
		{Access{Size: 16, Offset: 64, Bytes: 64},
			"out of bounds load of 16 bytes: index 4 of x, which has 4 elements"},
		{Access{Size: 16, Element: 4, Offset: 64, Bytes: 64},
			"out of bounds load of 16 bytes: index 16 of x, which has 16 elements"},
		{Access{Size: 16, Element: 4, Offset: 64, Bytes: 72}, // the first two of four are there
			"out of bounds load of 16 bytes: index 18 of x, which has 18 elements"},
		{Access{Size: 16, Element: 2, Offset: -2, Bytes: 72},
			"out of bounds load of 16 bytes: index -1 of x, which has 36 elements"},
		{Access{Size: 16, Element: 4, Offset: 4, Bytes: 72, Misaligned: true},
			"misaligned load of 16 bytes at offset 4 of x, which has 72 bytes"},
	} {
		test.access.What = "load"
		if got := test.access.Text("x"); got != test.want {
			t.Errorf("%+v: %s", test.access, got)
		}
	}
}
