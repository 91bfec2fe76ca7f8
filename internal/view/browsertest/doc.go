// Package browsertest drives the page of `nereid view` in a real Chromium. It is a module of its own, so that
// nereid itself does not depend on the library that drives the browser. Without a Chromium its tests are
// skipped.
package browsertest
