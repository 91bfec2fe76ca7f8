package device

import (
	"encoding/json"
	"fmt"
)

// Debug says whether a kernel checks its assertions, and integers for overflow: Triton's debug.
type Debug uint8

// The values of Debug.
const (
	DebugDefault Debug = iota // as the kernel's decorator says: @triton.jit(debug=True)
	DebugOn                   // debug=True
	DebugOff                  // debug=False, against the decorator
)

// String returns Triton's word for it.
func (d Debug) String() string {
	switch d {
	case DebugDefault:
		return "default"
	case DebugOn:
		return "True"
	case DebugOff:
		return "False"
	}
	return fmt.Sprintf("Debug(%d)", uint8(d))
}

// MarshalJSON writes a bool; fields with the default are left out.
func (d Debug) MarshalJSON() ([]byte, error) { return json.Marshal(d == DebugOn) }

// UnmarshalJSON reads a bool.
func (d *Debug) UnmarshalJSON(data []byte) error {
	var on bool
	if err := json.Unmarshal(data, &on); err != nil {
		return err
	}
	if *d = DebugOff; on {
		*d = DebugOn
	}
	return nil
}
