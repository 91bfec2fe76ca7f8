package ir

import "fmt"

// CallChain returns the place of a location, then of each call around it.
func CallChain(l Loc) []string {
	switch l := l.(type) {
	case *FileLoc:
		return []string{fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Col+1)}
	case *NameLoc:
		return CallChain(l.Child)
	case *CallSiteLoc:
		return append(CallChain(l.Callee), CallChain(l.Caller)...)
	case *FusedLoc:
		for _, c := range l.Locs {
			if places := CallChain(c); places != nil {
				return places
			}
		}
	}
	return nil
}
