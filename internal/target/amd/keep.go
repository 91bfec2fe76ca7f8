package amd

import (
	"encoding/json"
	"errors"

	"github.com/nereid-lang/nereid/internal/target"
)

// Kept returns the description of a compiled kernel that is saved with its code object.
func Kept(c target.Code) (*Code, error) {
	k := &Code{}
	if err := json.Unmarshal(c.Meta, k); err != nil {
		return nil, err
	}
	if k.Name == "" || k.NumWarps <= 0 || chips[k.Chip] == 0 {
		return nil, errors.New("the kernel's description is not complete")
	}
	return k, nil
}

// Lanes returns the lanes of a wave of the kernel's chip.
func (k *Code) Lanes() int { return chips[k.Chip] }
