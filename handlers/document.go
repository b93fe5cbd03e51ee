package handlers

import (
	"fmt"
	"strings"
)

// Markdown returns the kind's documentation, which is also readable as plain text: what it
// does, its parameters, its output and an example.
func (k Kind) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n%s\n\n## Parameters\n\n", k.Name, k.Summary, strings.TrimSpace(k.Doc))
	if fields := k.Fields(); len(fields) > 0 {
		b.WriteString(parameterTable(fields))
	} else {
		b.WriteString("None.\n")
	}
	fmt.Fprintf(&b, "\n## Output\n\n%s\n", upperFirst(strings.TrimSpace(k.Output)))
	if k.Example != "" {
		fmt.Fprintf(&b, "\n## Example\n\n```yaml\n%s\n```\n", strings.TrimSpace(k.Example))
	}
	return b.String()
}

// parameterTable pads the columns, so that the Markdown source is readable.
func parameterTable(fields []Field) string {
	rows := append([][4]string{{"name", "type", "default", "meaning"}}, parameterRows("", fields)...)
	var width [3]int // the last column needs no padding
	for _, row := range rows {
		for i := range width {
			width[i] = max(width[i], len([]rune(row[i])))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %-*s | %-*s | %-*s | %s |\n", width[0], row[0], width[1], row[1], width[2], row[2], row[3])
		if i == 0 {
			fmt.Fprintf(&b, "|%s|%s|%s|---|\n", strings.Repeat("-", width[0]+2), strings.Repeat("-", width[1]+2), strings.Repeat("-", width[2]+2))
		}
	}
	return b.String()
}

// parameterRows lists the parameters; the fields of an object follow it, prefixed with its name.
func parameterRows(prefix string, fields []Field) [][4]string {
	var rows [][4]string
	for _, f := range fields {
		meaning := f.Doc
		if len(f.Enum) > 0 {
			meaning += "; one of " + strings.Join(f.Enum, ", ")
		}
		if f.Secret {
			meaning += "; never shown"
		}
		standard := f.Default
		if f.Required {
			standard = "(required)"
		}
		row := [4]string{prefix + f.Name, f.Type, standard, meaning}
		for i, cell := range row {
			row[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		rows = append(rows, row)
		rows = append(rows, parameterRows(prefix+f.Name+".", f.Fields)...)
	}
	return rows
}

func upperFirst(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
