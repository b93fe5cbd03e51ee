package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"botwork/internal/author/strictyaml"
)

// format is how a command prints its result: --output.
type format string

// The formats. JSON and YAML hold all fields and are a contract; a table is for
// people and may change.
const (
	formatTable format = "table"
	formatJSON  format = "json"
	formatYAML  format = "yaml"
)

var formats = []string{string(formatTable), string(formatJSON), string(formatYAML)}

// String, Set and Type make it a flag's value.
func (f *format) String() string { return string(*f) }
func (f *format) Type() string   { return "FORMAT" }

func (f *format) Set(text string) error {
	if !slices.Contains(formats, text) {
		return errors.New("want table, json or yaml")
	}
	*f = format(text)
	return nil
}

// outputFlag gives cmd the flag --output and returns where its value will be.
func outputFlag(cmd *cobra.Command) *format {
	f := formatTable
	cmd.Flags().VarP(&f, "output", "o", "print the result as table, json or yaml")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return &f
}

// Print writes value as JSON or YAML, or else calls asTable.
func (s *Streams) Print(f format, value any, asTable func()) error {
	switch f {
	case formatJSON:
		enc := json.NewEncoder(s.Stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(value)
	case formatYAML:
		data, err := strictyaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = s.Stdout.Write(data)
		return err
	default:
		asTable()
		return nil
	}
}

// plainJSON is json.Marshal that leaves <, > and & as they are, since no page
// shows it: what stands behind a MarshalJSON is not reached by the encoder of
// [app.print].
func plainJSON(v any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// grid collects the rows of a table.
type grid struct{ writer table.Writer }

func newGrid(columns ...string) *grid {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatUpper
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	g := &grid{t}
	if len(columns) > 0 {
		t.AppendHeader(rowOf(columns))
	}
	return g
}

func (g *grid) add(cells ...string) { g.writer.AppendRow(rowOf(cells)) }

func (g *grid) writeTo(w io.Writer) { fmt.Fprintln(w, g.writer.Render()) }

func rowOf(cells []string) table.Row {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = cell
	}
	return row
}
