// Package browsertest drives the pages in a real browser, as an operator does, and looks at each of
// them in every size and theme.
package browsertest
