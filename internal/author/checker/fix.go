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

// maxRounds bounds how often a text is mended and looked at again, and maxChain how
// many mends may follow from one: a key with the right name shows what is wrong with
// its value.
const (
	maxRounds = 20
	maxChain  = 8
	maxSingle = 100 // edits that are tried one by one
)

// Fix mends in a text what is safe to mend: the edits of its findings that say so.
// check tells what is wrong with a text. After the edits the text is checked again,
// and what is kept has fewer mistakes and no new one, or, of a text without mistakes,
// fewer warnings; a text that cannot be improved
// like that comes back as it was. Line ends, comments and a byte order mark stay.
// mended are the findings that are gone, as they stood in the first text.
func Fix(data []byte, check func([]byte) strictyaml.Findings) (fixed []byte, mended strictyaml.Findings) {
	if oddLineEnds(data) {
		return data, nil // their lines are not ours
	}
	first := check(data)
	now, left := data, first
	for range maxRounds {
		next, found := improve(now, left, check)
		if next == nil {
			break
		}
		now, left = next, found
	}
	return now, gone(first, left)
}

// improve makes all safe edits at once, or else the first single one that helps. It
// returns nil when none does.
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

// attempt makes the edits, and those that their result asks for, and returns the
// last text of these that is better than the first; nil when none is. A text that
// was no YAML, or a key that was not known, may have hidden more than it told.
func attempt(data []byte, wrong strictyaml.Findings, edits []strictyaml.Edit, check func([]byte) strictyaml.Findings) (best []byte, left strictyaml.Findings) {
	for range maxChain {
		data = Apply(data, edits)
		found := check(data)
		if fewer(found, wrong) {
			best, left = data, found
		}
		if edits = safeEdits(found); len(edits) == 0 {
			break
		}
	}
	return best, left
}

// safeEdits returns the safe edits in the order of their places, without those that
// overlap one before them.
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
	var apart []strictyaml.Edit
	for _, e := range edits {
		if n := len(apart); n > 0 {
			last := apart[n-1]
			if e.Line < last.EndLine || e.Line == last.EndLine && e.Column < last.EndColumn || e == last {
				continue
			}
		}
		apart = append(apart, e)
	}
	return apart
}

// mistyped tells that the value which a finding is about has the wrong type as well:
// quotes around 007 mend nothing where a number is wanted.
func mistyped(findings strictyaml.Findings, f strictyaml.Finding) bool {
	return slices.ContainsFunc(findings, func(other strictyaml.Finding) bool {
		return other.Code == "wrong-type" && other.Line == f.Line && other.Column == f.Column
	})
}

// Apply makes edits that do not overlap and are in the order of their places.
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

// oddLineEnds tells that a text has line ends of YAML's that are none to editors.
func oddLineEnds(data []byte) bool {
	return strings.ContainsAny(string(data), "\u0085\u2028\u2029") || bytes.Count(data, []byte("\r")) != bytes.Count(data, []byte("\r\n"))
}

// identity is what makes two findings the same, wherever an edit moved them.
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

// fewer tells that now has some of the findings of before, not all, and no other. A
// text with mistakes is not looked at for warnings, so that those which show when the
// mistakes are gone are not new.
func fewer(now, before strictyaml.Findings) bool {
	if mistakes := before.Of(strictyaml.Error); len(mistakes) > 0 {
		now, before = now.Of(strictyaml.Error), mistakes
	}
	counts := count(before)
	for id, n := range count(now) {
		if n > counts[id] {
			return false
		}
	}
	return len(now) < len(before)
}

// gone returns the findings of before that are not in now.
func gone(before, now strictyaml.Findings) strictyaml.Findings {
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

// FixPipeline mends a pipeline's file.
func (c *Checker) FixPipeline(file pipelines.File) ([]byte, strictyaml.Findings) {
	return Fix(file.Data, func(data []byte) strictyaml.Findings {
		p, findings := c.compiler.Parse(file.Path, data)
		if p != nil {
			return p.Warnings
		}
		return findings
	})
}

// FixSettings mends a settings file: the settings themselves, queues and tasks.
func FixSettings(file string, data []byte) ([]byte, strictyaml.Findings) {
	return Fix(data, func(data []byte) strictyaml.Findings {
		settings, findings := config.Parse(file, data)
		_, queues := queuedefs.Decode(settings.Queues, nil)
		_, list := tasks.Decode(settings.Tasks, settings.Pipelines.Timezone)
		return slices.Concat(findings, queues, list)
	})
}
