package backend

import "github.com/nereid-lang/nereid/internal/diag"

// Refuse returns an error for something that a kernel may ask for, but that the target does not do. Programs
// find a *nereid.Refusal in it, with the target's name. remedy, which may be "", says what to do instead.
func Refuse(feature, reason, remedy string) error {
	return diag.Refuse(feature, "%s", reason).Instead(remedy)
}
