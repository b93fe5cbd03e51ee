package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"botwork/handlers"
)

const csvDoc = `Reads CSV text into a list of rows, or writes rows as CSV text.

op: parse takes text, or a file under path (in the allowed folders, as for File), or else the step's input. The first row
names the columns; with header: false they are names, or else column1, column2 and so on. Every value is text
unless columns gives its column a type; an empty value of a typed column is null. A row that cannot be read (too many or
too few values, a misplaced quote, a value that is not of its type) fails the step as a business error that names its
line in the file, its column and the reason. With onBadRow: collect such rows are left out of rows and reported in errors
instead, and the log and the progress of the item say how many there are. lineColumn adds the line to the valid rows too,
for checks in later steps. A quote that is not closed always fails the step, since the rows after it would be lost.

Files may be UTF-8, or UTF-16 with a byte order mark. Lines may end with LF, CR LF or CR. A first line such as sep=; (Excel
writes it) sets the delimiter, and is no row.

op: format writes rows, by default the step's input. names gives the columns in their order; without it they are
sorted by name. With to the text is written to that file in one step.

It is safe to run twice: the result depends only on the parameters, and to is replaced as a whole.

Text that is not CSV at all (no header, a column named twice, a typed column that is missing, another encoding) is a business
error; a wrong parameter and a file over maxSize are permanent; a missing file is retried.`

func csvKind(res Resources) handlers.Kind {
	return handlers.Kind{
		Name: "CSV", Summary: "Read or write CSV", Doc: csvDoc,
		Output: "for parse: {rows: list of maps by column, errors: list of {row, column, message} where row is the line in the file, count}; " +
			"for format: the text, or with to: {path, count}.",
		OutputShape: csvGives,
		Example: `- name: invoices
  handler: CSV
  with:
    op: parse
    text: |
      number;customer;amount;date
      A-1;Ana;"1,50";31.01.2026
      A-2;Rui;abc;01.02.2026
    delimiter: ";"
    decimal: comma
    dateFormat: DD.MM.YYYY
    columns: {amount: number, date: date}
    onBadRow: collect
- handler: CSV
  with: {op: format, rows: "${{ steps.invoices.output.errors }}", names: [row, column, message], to: reports/errors.csv}
`,
		New: func() handlers.Handler {
			return &csvStep{
				Delimiter: ",", Header: true, Trim: true, Decimal: "point", DateFormat: "YYYY-MM-DD",
				OnBadRow: "fail", MaxSize: 10 << 20, folders: res.Folders,
			}
		},
	}
}

type csvStep struct {
	Op         string            `json:"op" required:"true" enum:"parse,format" doc:"read or write"`
	Text       *string           `json:"text" doc:"for parse: the text; default is path, or else the step's input"`
	Path       string            `json:"path" doc:"for parse: file to read, in the allowed folders"`
	Rows       []map[string]any  `json:"rows" doc:"for format: the rows; default is the step's input"`
	To         string            `json:"to" doc:"for format: file to write, in the allowed folders"`
	Delimiter  string            `json:"delimiter" doc:"the character between values; \\t is a tab"`
	Header     bool              `json:"header" doc:"whether the first row names the columns"`
	Names      []string          `json:"names" doc:"names of the columns in their order: for format, and for parse without a header"`
	Trim       bool              `json:"trim" doc:"for parse: whether spaces around values and names are dropped"`
	Columns    map[string]string `json:"columns" doc:"for parse: type of a column: text, whole, number, date, time or boolean; others are text"`
	Decimal    string            `json:"decimal" enum:"point,comma" doc:"character before the decimals of a number"`
	DateFormat string            `json:"dateFormat" doc:"form of dates, made of YYYY, MM and DD"`
	LineColumn string            `json:"lineColumn" doc:"for parse: name of a column to add to each row: its line in the file; without one none is added"`
	OnBadRow   string            `json:"onBadRow" enum:"fail,collect" doc:"for parse: fail as a business error, or report bad rows in errors"`
	MaxSize    handlers.Size     `json:"maxSize" doc:"for parse: largest file"`

	folders folders
}

// columnTypes are the valid types of columns.
var columnTypes = []string{"text", "whole", "number", "date", "time", "boolean"}

func (s *csvStep) Validate() error {
	var errs []error
	wrong := func(name, format string, args ...any) {
		errs = append(errs, handlers.WrongParam(name, fmt.Sprintf(format, args...)))
	}
	if r, size := utf8.DecodeRuneInString(s.separator()); size != len(s.separator()) || strings.ContainsRune("\"\r\n\uFFFD", r) || size == 0 {
		wrong("delimiter", "got %q, want one character other than a quote or a line break", s.Delimiter)
	}
	for _, column := range slices.Sorted(maps.Keys(s.Columns)) {
		if !slices.Contains(columnTypes, s.Columns[column]) {
			wrong("columns."+column, "got %q, want one of %s", s.Columns[column], strings.Join(columnTypes, ", "))
		}
	}
	if layout := dateLayout(s.DateFormat); !strings.Contains(layout, "2006") || !strings.Contains(layout, "01") || !strings.Contains(layout, "02") {
		wrong("dateFormat", "got %q, want YYYY, MM and DD in some order, such as DD.MM.YYYY", s.DateFormat)
	}
	parse := s.Op == "parse"
	switch {
	case parse && s.Rows != nil:
		wrong("rows", "goes with format, not with parse")
	case parse && s.To != "":
		wrong("to", "goes with format, not with parse")
	case parse && s.Text != nil && s.Path != "":
		wrong("path", "give text or path, not both")
	case !parse && s.LineColumn != "":
		wrong("lineColumn", "goes with parse, not with format")
	case slices.Contains(s.Names, ""):
		wrong("names", "want a name for each column, got an empty one")
	case parse && repeated(s.Names) != "":
		wrong("names", "got %q twice; one of the two columns would be lost", repeated(s.Names))
	case parse && s.Header && len(s.Names) > 0:
		wrong("names", "goes with header: false, since the first row names the columns")
	case !parse && s.Text != nil:
		wrong("text", "goes with parse, not with format")
	case !parse && s.Path != "":
		wrong("path", "goes with parse, not with format; the file to write is to")
	}
	for name, path := range map[string]string{"path": s.Path, "to": s.To} {
		if _, err := s.folders.locate(path); path != "" && err != nil {
			wrong(name, "%s", err)
		}
	}
	return errors.Join(errs...)
}

func (s *csvStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	work := s.parse
	if s.Op == "format" {
		work = s.format
	}
	out, err := work(ctx, call)
	if err != nil {
		return nil, keepOutcome(fmt.Errorf("csv: %w", err))
	}
	return out, nil
}

// repeated returns a duplicate name in the list, or "".
func repeated(names []string) string {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name
		}
	}
	return ""
}

func (s *csvStep) separator() string { return strings.ReplaceAll(s.Delimiter, `\t`, "\t") }

// dateLayout converts a format such as YYYY-MM-DD to a layout of package time.
func dateLayout(format string) string {
	return strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02").Replace(format)
}
