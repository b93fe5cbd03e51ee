package cmd

import (
	"bytes"
	"encoding/json"
	"io"

	"botwork/internal/author/strictyaml"
)

// listPrinter prints a list as [app.print] does, one element after the other: it may be
// longer than fits into memory.
type listPrinter struct {
	to     io.Writer
	format format
	length int
}

// NewList begins a list in JSON or YAML; end ends it.
func (s *Streams) NewList(f format) *listPrinter { return &listPrinter{to: s.Stdout, format: f} }

func (l *listPrinter) add(element any) error {
	l.length++
	if l.format == formatYAML {
		data, err := strictyaml.Marshal([]any{element})
		if err != nil {
			return err
		}
		_, err = l.to.Write(data)
		return err
	}
	var text bytes.Buffer
	text.WriteString(map[bool]string{true: "[\n  ", false: ",\n  "}[l.length == 1])
	enc := json.NewEncoder(&text)
	enc.SetIndent("  ", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(element); err != nil {
		return err
	}
	_, err := l.to.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return err
}

func (l *listPrinter) end() error {
	end := ""
	switch {
	case l.length == 0:
		end = "[]\n"
	case l.format == formatJSON:
		end = "\n]\n"
	}
	_, err := io.WriteString(l.to, end)
	return err
}
