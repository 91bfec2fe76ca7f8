package device_test

import (
	"encoding/json"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
)

// TestDebugText: Debug is a bool in files, and left out where the kernel's decorator has its way.
func TestDebugText(t *testing.T) {
	for d, want := range map[device.Debug]string{
		device.DebugDefault: `{"num_warps":0,"num_stages":0,"num_ctas":0}`,
		device.DebugOn:      `{"num_warps":0,"num_stages":0,"num_ctas":0,"debug":true}`,
		device.DebugOff:     `{"num_warps":0,"num_stages":0,"num_ctas":0,"debug":false}`,
	} {
		text, err := json.Marshal(device.Options{Debug: d})
		if err != nil || string(text) != want {
			t.Errorf("%v: %s %v", d, text, err)
		}
		var back device.Options
		if err := json.Unmarshal(text, &back); err != nil || back.Debug != d {
			t.Errorf("%s: %v %v", text, back.Debug, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"debug": 1}`), new(device.Options)); err == nil {
		t.Error("a number is read as a bool")
	}
}
