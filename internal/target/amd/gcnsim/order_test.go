package gcnsim

import "testing"

// allOrders are orders that tests run kernels under.
var allOrders = []string{"usual", "latest", "backward", "random:1", "random:2", "adversarial:3"}

// TestOrders runs code objects of Triton's under all orders: the results are the recorded ones.
func TestOrders(t *testing.T) {
	for _, name := range allOrders {
		for _, s := range samples {
			var err error
			if s.order, err = ParseOrder(name); err != nil {
				t.Fatal(err)
			}
			t.Run(name+"/"+s.name, func(t *testing.T) { s.replayed(t, s.load(t), nil) })
		}
	}
}

// TestParseOrder: seeds stand where there are any.
func TestParseOrder(t *testing.T) {
	for _, text := range []string{"", "random", "random:", "random:x", "late", "latest:3"} {
		if o, err := ParseOrder(text); err == nil {
			t.Errorf("%q is read as %v", text, o)
		}
	}
	want := Order{Ends: Random, Waves: Ranked, Seed: 6}
	if o, err := ParseOrder("adversarial:6"); err != nil || o != want {
		t.Errorf("adversarial:6 is read as %v, %v", o, err)
	}
}
