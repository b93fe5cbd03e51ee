package cli

import (
	"bytes"
	"encoding/json"
	"io"

	"botwork/internal/author/strictyaml"
)

// ListPrinter prints a list like [Streams.Print], but element by element, because the list may
// not fit into memory.
type ListPrinter struct {
	to     io.Writer
	format Format
	length int
}

// NewList starts a list in JSON or YAML; End ends it.
func (s *Streams) NewList(f Format) *ListPrinter { return &ListPrinter{to: s.Machine(), format: f} }

func (l *ListPrinter) Add(element any) error {
	l.length++
	if l.format == FormatYAML {
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

func (l *ListPrinter) End() error {
	end := ""
	switch {
	case l.length == 0:
		end = "[]\n"
	case l.format == FormatJSON:
		end = "\n]\n"
	}
	_, err := io.WriteString(l.to, end)
	return err
}
