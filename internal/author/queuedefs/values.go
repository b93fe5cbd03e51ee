package queuedefs

import (
	"fmt"

	"botwork/internal/author/strictyaml"
)

// reportKey reports a mistake in the name of a queue, at the name.
func (r *reader) reportKey(e strictyaml.Entry, code, message string) {
	r.Findings = append(r.Findings, e.Finding(code, e.Value.Path+": "+message, ""))
}

// orNil decodes a node for which absence and zero have different meanings.
func orNil[T any](r *reader, n *strictyaml.Node, decode func(*strictyaml.Node) T) *T {
	if !n.HasValue() {
		return nil
	}
	before := len(r.Findings)
	got := decode(n)
	if len(r.Findings) > before {
		return nil
	}
	return &got
}

func atLeast(low int) func(int) string {
	return func(n int) string {
		if n < low {
			return fmt.Sprintf("got %d, want %d or more", n, low)
		}
		return ""
	}
}
