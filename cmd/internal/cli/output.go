package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"botwork/internal/author/strictyaml"
)

// Format is the output format of a command: --output.
type Format string

// The formats. JSON and YAML have all fields and are a stable contract; a table is for people
// and may change.
const (
	FormatTable Format = "table"
	FormatJSON  Format = "json"
	FormatYAML  Format = "yaml"
)

var Formats = []string{string(FormatTable), string(FormatJSON), string(FormatYAML)}

// String, Set and Type make it a flag's value.
func (f *Format) String() string { return string(*f) }
func (f *Format) Type() string   { return "FORMAT" }

func (f *Format) Set(text string) error {
	if !slices.Contains(Formats, text) {
		return errors.New("want table, json or yaml")
	}
	*f = Format(text)
	return nil
}

// OutputFlag adds the flag --output to cmd and returns a pointer to its value.
func OutputFlag(cmd *cobra.Command) *Format {
	f := FormatTable
	cmd.Flags().VarP(&f, "output", "o", "print the result as table, json or yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(Formats, cobra.ShellCompDirectiveNoFileComp))
	return &f
}

// Print writes value as JSON or YAML, or else calls asTable.
func (s *Streams) Print(f Format, value any, asTable func()) error {
	switch f {
	case FormatJSON:
		enc := json.NewEncoder(s.Machine())
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	case FormatYAML:
		data, err := strictyaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = s.Machine().Write(data)
		return err
	default:
		asTable()
		return nil
	}
}

// PlainJSON is json.Marshal without escaping of <, > and &. It is for MarshalJSON methods, to
// which the setting of the encoder in [Streams.Print] does not apply.
func PlainJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
