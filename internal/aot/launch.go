package aot

import (
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/rule"
)

// launchOf compiles what a row says about launches. Its rules see the kernel's arguments, the sizes, and as
// constants what is compiled in and the numbers of values. key is the place of an error.
func launchOf(t rule.LaunchText, params []lang.Param, c constants,
	values map[string]object.Value) (_ rule.Launch,
	key string, err error) {
	known := map[string]float64{}
	for name, v := range values {
		setNumber(known, name, v)
	}
	var args []string
	for i, p := range params {
		v, ok := c[i]
		if !ok && p.Constexpr && p.Default != nil {
			v, ok = lang.ValueOf(p.Default), true
		}
		if !ok {
			args = append(args, p.Name)
			continue
		}
		setNumber(known, p.Name, v)
	}
	return rule.CompileLaunch(t, known, args)
}

// setNumber notes a value that is a number.
func setNumber(to map[string]float64, name string, v object.Value) {
	switch v := world.Unwrap(v).(type) {
	case object.Bool:
		to[name] = 0
		if v {
			to[name] = 1
		}
	case object.Float:
		to[name] = float64(v)
	default:
		if n, ok := object.AsInt64(v); ok {
			to[name] = float64(n)
		}
	}
}
