package lsp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// source is the name that editors show as the source of a diagnostic.
const source = "botwork"

// diagnostics converts findings to diagnostics.
func (d *document) diagnostics(findings strictyaml.Findings) publishParams {
	p := publishParams{URI: d.uri, Diagnostics: []Diagnostic{}}
	if d.open {
		p.Version = &d.version
	}
	for _, f := range findings {
		from, to := d.extent(f)
		message := f.Message
		if f.Hint != "" {
			message += "; " + f.Hint
		}
		severity := severityError
		if f.Severity == strictyaml.Warning {
			severity = severityWarning
		}
		p.Diagnostics = append(p.Diagnostics, Diagnostic{
			Range: d.span(from, to), Severity: severity, Code: f.Code, Source: source, Message: message,
		})
	}
	return p
}

// extent returns the range of a finding: the range in the finding, or the key or value
// at its position, or the word there. It is only empty if the line is empty, because
// editors do not show empty ranges.
func (d *document) extent(f strictyaml.Finding) (from, to int) {
	from = d.findingOffset(f.Line, f.Column)
	line, start := d.lineAt(d.position(from).Line)
	end := start + len(strings.TrimRight(line, "\r\n"))
	switch {
	case f.EndLine > 0:
		to = d.findingOffset(f.EndLine, f.EndColumn)
	case f.Line == 0:
		to = end
	case len(d.text) <= maxDocument:
		spot := d.tree().At(from)
		if spot.Key != nil && spot.Key.From == from {
			to = spot.Key.To
		} else if spot.Value != nil && spot.Value.From == from {
			to = min(spot.Value.To, end)
		}
	}
	if to <= from {
		to = from
		for to < end {
			r, size := utf8.DecodeRuneInString(d.text[to:])
			if to > from && !wordRune(r) {
				break
			}
			to += size
		}
	}
	if to == from && from > start {
		from-- // at the end of the line, mark the character before it
		for from > start && !utf8.RuneStart(d.text[from]) {
			from--
		}
	}
	return from, to
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' }
