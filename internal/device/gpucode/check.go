package gpucode

import "slices"

// Check describes checked code.
type Check struct {
	Args  []int    // the arguments of the kernel that are pointers
	Names []string // their names
	Sites []Site   // by number, from one on
}

// Site is a place in a kernel where it may go wrong.
type Site struct {
	What    string // "load", "store", "atomic"; "" for an assertion
	Message string `json:",omitempty"` // of an assertion
	Size    int    `json:",omitempty"` // bytes of an element
	Bytes   int    `json:",omitempty"` // bytes of the access, which may have several elements
	// Args holds the arguments that the pointer may be derived from. With Wild, it may also be derived from
	// none.
	Args []int    `json:",omitempty"`
	Wild bool     `json:",omitempty"`
	Locs []string `json:",omitempty"` // position in the source, then the calls that led there
}

// Wild reports whether a site has pointers that may be derived from no argument.
func (c *Check) Wild() bool {
	return slices.ContainsFunc(c.Sites, func(s Site) bool { return s.Wild })
}

// RecordWords is the number of words of a record before the pieces of memory; SiteShift is the number of bits
// below that of the site.
const (
	RecordWords = 3
	SiteShift   = 48
)
