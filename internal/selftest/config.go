package selftest

import (
	"fmt"
	"strconv"
	"strings"
)

// Config is what a kind chose for one case, in the order of the choices.
type Config []Field

// Field is one choice.
type Field struct{ Name, Value string }

// String returns the config as ParseConfig reads it: "dtype=fp16,bm=32".
func (c Config) String() string {
	var b strings.Builder
	for i, f := range c {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f.Name + "=" + f.Value)
	}
	return b.String()
}

// ParseConfig reads a config.
func ParseConfig(text string) (c Config, err error) {
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q of the config %q is no NAME=VALUE", part, text)
		}
		c = append(c, Field{name, value})
	}
	return c, nil
}

// set adds a choice.
func (c *Config) set(name string, value any) { *c = append(*c, Field{name, fmt.Sprint(value)}) }

// get returns a choice, or "".
func (c Config) get(name string) string {
	for _, f := range c {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// num returns a choice that is a number, 0 if there is none.
func (c Config) num(name string) int {
	n, _ := strconv.Atoi(c.get(name))
	return n
}

// is reports whether a choice that is yes or no is yes.
func (c Config) is(name string) bool { return c.get(name) == "1" }

// check returns an error for a config that lacks a field of a drawn one, or has a number that is none.
func (c Config) check(like Config) error {
	for _, f := range like {
		value := c.get(f.Name)
		if value == "" {
			return fmt.Errorf("the config %q has no %s: for example %s", c, f.Name, like)
		}
		if _, err := strconv.Atoi(f.Value); err != nil {
			continue
		}
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			return fmt.Errorf("%s=%s of the config %q is no number", f.Name, value, c)
		}
	}
	return nil
}
