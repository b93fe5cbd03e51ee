package queuedefs

import (
	"fmt"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

func (r *reader) report(n *strictyaml.Node, code, message, hint string) {
	if n.Path != "" { // the top of a schema's own file has none
		message = n.Path + ": " + message
	}
	r.findings = append(r.findings, n.Finding(code, message, hint))
}

// reportKey reports what is wrong with the name of a queue, at the name.
func (r *reader) reportKey(e strictyaml.Entry, code, message string) {
	r.findings = append(r.findings, e.Finding(code, e.Value.Path+": "+message, ""))
}

// given tells that a key has a value.
func given(n *strictyaml.Node) bool { return n != nil && n.Kind != strictyaml.Null }

// value decodes a node that may be absent and asks check, which may be nil,
// what is wrong with it. The zero value stands for absent and for reported.
func value[T any](r *reader, n *strictyaml.Node, check func(T) string) T {
	var got, none T
	if !given(n) {
		return none
	}
	if findings := n.Decode(&got); len(findings) > 0 {
		r.findings = append(r.findings, findings...)
		return none
	}
	if check != nil {
		if wrong := check(got); wrong != "" {
			r.report(n, "invalid-value", wrong, "")
			return none
		}
	}
	return got
}

// orNil decodes a node whose absence is not the same as its zero.
func orNil[T any](r *reader, n *strictyaml.Node, decode func(*strictyaml.Node) T) *T {
	if !given(n) {
		return nil
	}
	before := len(r.findings)
	got := decode(n)
	if len(r.findings) > before {
		return nil
	}
	return &got
}

// choice decodes one of a few words; the first stands for absent and for
// reported.
func choice[T ~string](r *reader, n *strictyaml.Node, words ...T) T {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	before := len(r.findings)
	got := value[string](r, n, nil)
	if !given(n) || len(r.findings) > before {
		return words[0]
	}
	for _, w := range words {
		if string(w) == got {
			return w
		}
	}
	last := len(known) - 1
	r.report(n, "invalid-value", fmt.Sprintf("got %q, want %s", got, strings.Join(known[:last], ", ")+" or "+known[last]),
		strictyaml.Suggest(got, known))
	return words[0]
}

// span decodes a length of time; days ("7d") count as 24 hours. check tells what
// is wanted instead, "" when the value is good.
func span(r *reader, n *strictyaml.Node, check func(time.Duration) string) workqueue.Duration {
	return workqueue.Duration(value(r, n, func(d handlers.Duration) string {
		if want := check(time.Duration(d)); want != "" {
			return fmt.Sprintf("got %s, want %s", n.Text, want) // as it was written: -7d, not -168h
		}
		return ""
	}))
}

// size decodes a number of bytes, such as 5MB; 0 stands for absent and for reported.
func size(r *reader, n *strictyaml.Node) int64 {
	return int64(value(r, n, func(s handlers.Size) string {
		if s <= 0 || s > workqueue.MostSize {
			return fmt.Sprintf("got %s, want 1 byte to %s", n.Text, workqueue.SizeText(workqueue.MostSize))
		}
		return ""
	}))
}

// positive and notNegative tell what is wanted in place of d; "" when d is that.
func positive(d time.Duration) string {
	if d <= 0 {
		return "more than 0"
	}
	return ""
}

func notNegative(d time.Duration) string {
	if d < 0 {
		return "0 or more"
	}
	return ""
}

func atLeast(low int) func(int) string {
	return func(n int) string {
		if n < low {
			return fmt.Sprintf("got %d, want %d or more", n, low)
		}
		return ""
	}
}
