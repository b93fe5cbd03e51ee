package strictyaml

import (
	"fmt"
	"strings"
)

// Reader decodes the values of a file one by one and collects the findings. It is
// for files whose values need more checks than their types.
type Reader struct{ Findings Findings }

// Report adds a finding about n with n's path before the message. The caller can
// set its Edit until the next finding is added.
func (r *Reader) Report(n *Node, code, message, hint string) *Finding {
	if n.Path != "" {
		message = n.Path + ": " + message
	}
	r.Findings = append(r.Findings, n.Finding(code, message, hint))
	return &r.Findings[len(r.Findings)-1]
}

// Decode decodes n into the value that into points to; see [Node.Decode]. It
// reports whether there were no findings.
func (r *Reader) Decode(n *Node, into any) (ok bool) {
	findings := n.Decode(into)
	r.Findings = append(r.Findings, findings...)
	return len(findings) == 0
}

// Value decodes a node that may be absent. check, which may be nil, returns what is
// wrong with the value, or "". The result is zero if the node is absent or has a
// finding.
func Value[T any](r *Reader, n *Node, check func(T) string) T {
	var value, zero T
	if !n.HasValue() || !r.Decode(n, &value) {
		return zero
	}
	if check != nil {
		if wrong := check(value); wrong != "" {
			r.Report(n, "invalid-value", wrong, "")
			return zero
		}
	}
	return value
}

// Choice decodes a node that is one of a few words. It returns the first word if the
// node is absent or has a finding.
func Choice[T ~string](r *Reader, n *Node, words ...T) T {
	text := Value[string](r, n, nil)
	names := make([]string, len(words))
	for i, word := range words {
		if names[i] = string(word); text == names[i] {
			return word
		}
	}
	if text != "" || n.HasValue() && n.Value == "" {
		last := len(names) - 1
		want := strings.Join(names[:last], ", ") + " or " + names[last]
		r.Report(n, "invalid-value", fmt.Sprintf("got %q, want %s", text, want), Suggest(text, names)).Edit = n.ReplaceWord(names, false)
	}
	return words[0]
}
