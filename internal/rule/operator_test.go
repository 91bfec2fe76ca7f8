package rule

import (
	"strings"
	"testing"
)

func attention() OperatorText {
	return OperatorText{
		Name: "Attention", Group: "attention_{T}", Types: map[string][]string{"T": {"fp32", "fp16"}},
		Inputs:     []string{"q: T[b, h, m, d]", "k: T[b, h, n, d]", "v: T[b, h, n, 2 * d]"},
		Outputs:    []string{"o: T[b, h, m, 2 * d]", "lse: fp32[b, h, m]"},
		Attributes: []string{"scale: float = d ** -0.5", "causal: int = 0"},
		Arguments:  map[string]string{"q_ptr": "q", "out_ptr": "o", "stride": "m * d", "heads": "b * h"},
	}
}

func TestOperator(t *testing.T) {
	o, _, err := CompileOperator(attention())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(o.Values, " "); got != "b h m d n scale causal" {
		t.Errorf("values: %s", got)
	}
	if o.Domain != DefaultDomain || o.Tensors["out_ptr"] != "o" || o.Tensor("o") != 3 || o.Tensor("x") != -1 {
		t.Errorf("%+v", o)
	}
	if k := o.Inputs[1]; k.Dims[0].Rule == nil || k.Dims[2].Rule != nil || k.Dims[2].Name != "n" {
		t.Errorf("k: %+v", k)
	}
	values := map[string]float64{"b": 2, "h": 3, "m": 5, "d": 64}
	if got := o.Outputs[0].Dims[3].Rule.Eval(values); got != 128 {
		t.Errorf("the last dimension is %v", got)
	}
	if got := o.Attributes[0].Default.Eval(values); got != 0.125 {
		t.Errorf("scale is %v", got)
	}
	var groups []string
	for _, c := range o.Combinations() {
		groups = append(groups, o.GroupFor(c))
	}
	if got := strings.Join(groups, " "); got != "attention_fp32 attention_fp16" {
		t.Errorf("groups: %s", got)
	}
}

func TestOperatorErrors(t *testing.T) {
	for _, c := range []struct {
		change func(*OperatorText)
		want   string
	}{
		{func(t *OperatorText) { t.Name = "a b" }, "name: an operator cannot be called"},
		{func(t *OperatorText) { t.Group = "" }, "group: group is missing"},
		{func(t *OperatorText) { t.Inputs = nil }, "inputs: an operator has inputs"},
		{func(t *OperatorText) { t.Inputs[0] = "q" }, `inputs: "q" is no tensor`},
		{func(t *OperatorText) { t.Inputs[1] = "q: T[n]" }, "inputs: a second tensor is called q"},
		{func(t *OperatorText) { t.Inputs[0] = "q: T[*a, *b]" }, "one * with a name"},
		{func(t *OperatorText) { t.Inputs[0] = "q: T[n + z]" }, "there is no n"},
		{func(t *OperatorText) { t.Outputs[0] = "o: T[*z]" }, "outputs: \"o: T[*z]\": no input has *z"},
		{func(t *OperatorText) { t.Outputs[0] = "o: T[zz]" }, "there is no zz"},
		{func(t *OperatorText) {
			t.Attributes[0] = "scale = 1"
		}, "attributes: \"scale = 1\" is no attribute"},
		{func(t *OperatorText) { t.Attributes[0] = "d: int" }, "attributes: d is there twice"},
		{func(t *OperatorText) { t.Attributes[0] = "a: int = causal" }, "there is no causal"},
		{func(t *OperatorText) { t.Arguments["x"] = "y + 1" }, "arguments: x: \"y + 1\": there is no y"},
	} {
		text := attention()
		c.change(&text)
		_, key, err := CompileOperator(text)
		if err == nil || !strings.Contains(key+": "+err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", key, err, c.want)
		}
	}
}
