package checker

import (
	"bytes"
	"slices"
	"strings"

	"botwork/config"
	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/tasks"
)

// maxRounds limits the rounds of fixing and checking a text. maxChain limits the
// fixes that follow from one fix: only after a key has its right name can its value be
// checked. maxSingle limits the edits that are tried one by one.
const (
	maxRounds = 20
	maxChain  = 8
	maxSingle = 100
)

// Fix applies the safe edits of a text's findings. check returns the findings of a
// text. Fix checks the text again after the edits, and keeps a version only if it has
// fewer mistakes and no new ones or, for a text without mistakes, fewer warnings.
// Otherwise it returns the text unchanged. Line endings, comments and a byte order mark
// are kept. resolved are the findings of the original text that are fixed.
func Fix(data []byte, check func([]byte) strictyaml.Findings) (fixed []byte, resolved strictyaml.Findings) {
	if unusualLineEnds(data) {
		return data, nil // Apply would count other lines than YAML
	}
	original := check(data)
	fixed, remaining := data, original
	for range maxRounds {
		next, found := improve(fixed, remaining, check)
		if next == nil {
			break
		}
		fixed, remaining = next, found
	}
	return fixed, without(original, remaining)
}

// improve makes all safe edits at once or, if that does not help, the first single edit
// that does. It returns nil if no edit helps.
func improve(data []byte, wrong strictyaml.Findings, check func([]byte) strictyaml.Findings) ([]byte, strictyaml.Findings) {
	edits := safeEdits(wrong)
	if len(edits) == 0 {
		return nil, nil
	}
	if next, found := attempt(data, wrong, edits, check); next != nil || len(edits) == 1 {
		return next, found
	}
	for i := range min(len(edits), maxSingle) {
		if next, found := attempt(data, wrong, edits[i:i+1], check); next != nil {
			return next, found
		}
	}
	return nil, nil
}

// attempt makes the edits and then the safe edits of the result, and returns the last
// version that is better than the original, or nil if none is. More than one step can be
// necessary: a syntax error or an unknown key can hide other mistakes.
func attempt(data []byte, wrong strictyaml.Findings, edits []strictyaml.Edit, check func([]byte) strictyaml.Findings) (best []byte, remaining strictyaml.Findings) {
	for range maxChain {
		data = Apply(data, edits)
		found := check(data)
		if isBetter(found, wrong) {
			best, remaining = data, found
		}
		if edits = safeEdits(found); len(edits) == 0 {
			break
		}
	}
	return best, remaining
}

// safeEdits returns the safe edits in the order of their positions, without those that
// overlap an earlier one.
func safeEdits(findings strictyaml.Findings) []strictyaml.Edit {
	var edits []strictyaml.Edit
	for _, f := range findings {
		if f.Edit != nil && f.Edit.Safe && (f.Code != "yaml-trap" || !mistyped(findings, f)) {
			edits = append(edits, *f.Edit)
		}
	}
	slices.SortStableFunc(edits, func(a, b strictyaml.Edit) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	var disjoint []strictyaml.Edit
	for _, e := range edits {
		if n := len(disjoint); n > 0 {
			last := disjoint[n-1]
			if e.Line < last.EndLine || e.Line == last.EndLine && e.Column < last.EndColumn || e == last {
				continue
			}
		}
		disjoint = append(disjoint, e)
	}
	return disjoint
}

// mistyped reports whether the finding's value also has the wrong type: quotes around
// 007 fix nothing if a number is required.
func mistyped(findings strictyaml.Findings, f strictyaml.Finding) bool {
	return slices.ContainsFunc(findings, func(other strictyaml.Finding) bool {
		return other.Code == "wrong-type" && other.Line == f.Line && other.Column == f.Column
	})
}

// Apply applies edits, which must not overlap and must be in the order of their
// positions.
func Apply(data []byte, edits []strictyaml.Edit) []byte {
	const mark = "\ufeff"
	text, marked := bytes.CutPrefix(data, []byte(mark))
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	offset := func(line, column int) int {
		if line > len(starts) {
			return len(text)
		}
		from := starts[line-1]
		for i, c := range string(text[from:]) {
			if column <= 1 || c == '\n' {
				return from + i
			}
			column--
		}
		return len(text)
	}
	var out bytes.Buffer
	if marked {
		out.WriteString(mark)
	}
	done := 0
	for _, e := range edits {
		from, to := offset(e.Line, e.Column), offset(e.EndLine, e.EndColumn)
		if from < done || to < from {
			continue
		}
		out.Write(text[done:from])
		out.WriteString(e.Text)
		done = to
	}
	out.Write(text[done:])
	return out.Bytes()
}

// unusualLineEnds reports whether a text has line endings that YAML supports but that
// editors do not treat as such.
func unusualLineEnds(data []byte) bool {
	return strings.ContainsAny(string(data), "\u0085\u2028\u2029") || bytes.Count(data, []byte("\r")) != bytes.Count(data, []byte("\r\n"))
}

// identity identifies a finding independently of its position, which edits can move.
type identity struct {
	code, message string
	severity      strictyaml.Severity
}

func count(findings strictyaml.Findings) map[identity]int {
	counts := map[identity]int{}
	for _, f := range findings {
		counts[identity{f.Code, f.Message, f.Severity}]++
	}
	return counts
}

// isBetter reports whether now contains fewer findings than before, and no new one. A
// text with mistakes is not checked for warnings, so the warnings that appear without
// the mistakes are not new.
func isBetter(now, before strictyaml.Findings) bool {
	if mistakes := before.WithSeverity(strictyaml.Error); len(mistakes) > 0 {
		now, before = now.WithSeverity(strictyaml.Error), mistakes
	}
	counts := count(before)
	for id, n := range count(now) {
		if n > counts[id] {
			return false
		}
	}
	return len(now) < len(before)
}

// without returns the findings in before that are not in now.
func without(before, now strictyaml.Findings) strictyaml.Findings {
	counts := count(now)
	var list strictyaml.Findings
	for _, f := range before {
		id := identity{f.Code, f.Message, f.Severity}
		if counts[id] > 0 {
			counts[id]--
			continue
		}
		list = append(list, f)
	}
	return list
}

// FixPipeline fixes the file of a pipeline; see [Fix].
func (c *Checker) FixPipeline(file pipelines.File) ([]byte, strictyaml.Findings) {
	return Fix(file.Data, func(data []byte) strictyaml.Findings {
		p, findings := c.compiler.Parse(file.Path, data)
		if p != nil {
			return p.Warnings
		}
		return findings
	})
}

// FixSettings fixes a settings file with its queues and tasks; see [Fix].
func FixSettings(file string, data []byte) ([]byte, strictyaml.Findings) {
	return Fix(data, func(data []byte) strictyaml.Findings {
		settings, findings := config.Parse(file, data)
		_, queues := queuedefs.Decode(settings.Queues, nil)
		_, list := tasks.Decode(settings.Tasks, settings.Pipelines.Timezone)
		return slices.Concat(findings, queues, list)
	})
}
