package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nereid-lang/nereid"
)

func main() {
	folder := "kernels"
	var specs []struct {
		Name, File, Kernel, Signature string
		NumWarps                      int `json:"num_warps"`
	}
	b, _ := os.ReadFile(filepath.Join(folder, "specs.json"))
	if err := json.Unmarshal(b, &specs); err != nil {
		panic(err)
	}
	for _, s := range specs {
		m, err := nereid.Load(filepath.Join(folder, s.File))
		if err != nil {
			panic(err)
		}
		k, err := m.Kernel(s.Kernel)
		if err != nil {
			panic(err)
		}
		c, err := k.CompileFor(context.Background(), "cpu", s.Signature, nereid.Options{NumWarps: s.NumWarps}, "llir")
		if err != nil {
			panic(err)
		}
		for _, st := range c.Stages {
			if st.Name == "llir" {
				os.WriteFile(filepath.Join(os.Args[1], s.Name+".ll"), []byte(st.Text), 0o644)
			}
		}
		fmt.Println(s.Name)
	}
}
