package dl

import "unsafe"

// GoString copies a C string. A nil pointer is the empty string.
func GoString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// GoBytes copies n bytes of C memory.
func GoBytes(p *byte, n int) []byte {
	return append([]byte(nil), unsafe.Slice(p, n)...)
}
