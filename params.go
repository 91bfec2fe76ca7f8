package nereid

import "github.com/nereid-lang/nereid/internal/lang"

// Pointers says of each parameter whether the kernel uses it as a pointer, as far as its text shows. Nothing depends on it; it is for
// tools that make up arguments.
func (k *Kernel) Pointers() ([]bool, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	return k.m.src.Pointers(k.name, lang.DefaultTarget)
}

// SplitSignature is the entries of a signature, as Compile takes them, one for each parameter.
func (k *Kernel) SplitSignature(signature string) ([]string, error) {
	if err := k.usable(); err != nil {
		return nil, err
	}
	return lang.SplitSignature(k.params.List, signature)
}
