package builtin

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/values"
)

func (s *csvStep) parse(ctx context.Context, call *handlers.Call) (any, error) {
	text, err := s.source(call)
	if err != nil {
		return nil, err
	}
	r, err := s.reader(text)
	if err != nil {
		return nil, handlers.Business(err)
	}
	names := s.Names
	if s.Header {
		if names, err = s.header(r); err != nil {
			return nil, handlers.Business(err)
		}
	} else if err := s.typedColumns(names); names != nil && err != nil {
		return nil, handlers.Permanent(err)
	}
	rows, bad, badCount := []any{}, []any{}, 0
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if syntax, ok := errors.AsType[*csv.ParseError](err); ok {
			bad, badCount = append(bad, badRow(syntax.StartLine, "", syntax.Err.Error())), badCount+1
			continue
		}
		if err != nil {
			return nil, handlers.Business(err)
		}
		line, _ := r.FieldPos(0)
		if names == nil {
			names = numbered(len(record))
			if err := s.typedColumns(names); err != nil {
				return nil, handlers.Business(err)
			}
		}
		if s.LineColumn != "" && slices.Contains(names, s.LineColumn) {
			return nil, handlers.Permanent(fmt.Errorf("lineColumn: the text has a column %q itself; give another name", s.LineColumn))
		}
		row, wrong := s.row(names, record, line)
		if len(wrong) > 0 {
			bad, badCount = append(bad, wrong...), badCount+1
			continue
		}
		rows = append(rows, row)
	}
	if len(bad) > 0 && s.OnBadRow == "fail" {
		return nil, handlers.Business(badRows(bad))
	}
	if badCount > 0 {
		call.Log.Warn().Int("bad_rows", badCount).Int("rows", len(rows)).Msg("csv: left out rows that cannot be read")
		call.Progress(fmt.Sprintf("CSV: left out %d bad row(s), read %d; the first is on line %d", badCount, len(rows), bad[0].(map[string]any)["row"]))
	}
	return map[string]any{"rows": rows, "errors": bad, "count": len(rows)}, nil
}

// header reads the names of the columns.
func (s *csvStep) header(r *csvReader) ([]string, error) {
	names, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("there is no header: the text is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	for i, name := range names {
		if s.Trim {
			names[i] = strings.TrimSpace(name)
		}
		if names[i] == "" {
			return nil, fmt.Errorf("the header has no name for column %d", i+1)
		}
		if slices.Contains(names[:i], names[i]) {
			return nil, fmt.Errorf("the header names column %q twice", names[i])
		}
	}
	return names, s.typedColumns(names)
}

// typedColumns returns an error if a typed column is missing, because its values would
// silently stay text.
func (s *csvStep) typedColumns(names []string) error {
	for _, column := range slices.Sorted(maps.Keys(s.Columns)) {
		if !slices.Contains(names, column) {
			return fmt.Errorf("the column %q is missing; there are %s", column, strings.Join(names, ", "))
		}
	}
	return nil
}

// numbered returns the names of the columns of a text without a header.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "column" + strconv.Itoa(i+1)
	}
	return names
}

// row converts one record, or returns all errors in it.
func (s *csvStep) row(names, record []string, line int) (map[string]any, []any) {
	if len(record) != len(names) {
		return nil, []any{badRow(line, "", fmt.Sprintf("got %d values, want %d", len(record), len(names)))}
	}
	row := make(map[string]any, len(names))
	var wrong []any
	for i, name := range names {
		text := record[i]
		if s.Trim {
			text = strings.TrimSpace(text)
		}
		v, err := s.value(s.Columns[name], text)
		if err != nil {
			wrong = append(wrong, badRow(line, name, err.Error()))
		}
		row[name] = v
	}
	if s.LineColumn != "" {
		row[s.LineColumn] = line
	}
	return row, wrong
}

// value converts the text of one value by its column's type.
func (s *csvStep) value(columnType, text string) (any, error) {
	if columnType == "" || columnType == "text" {
		return text, nil
	}
	if text == "" {
		return nil, nil
	}
	switch columnType {
	case "whole":
		return values.ParseWhole(text)
	case "number":
		number := text
		if s.Decimal == "comma" {
			number = strings.Replace(text, ",", ".", 1)
		}
		// The wrong decimal sign would change the number; ParseFloat accepts Inf and 0x10.
		f, err := strconv.ParseFloat(number, 64)
		if err != nil || strings.Trim(number, "0123456789+-.eE") != "" || s.Decimal == "comma" && strings.Contains(text, ".") {
			return nil, fmt.Errorf("got %q, want a number such as %s", text, strings.Replace("12.5", ".", s.decimalSign(), 1))
		}
		if n, err := values.ParseWhole(text); err == nil && math.Abs(f) >= 1<<53 {
			return n, nil // a float64 might change its digits
		}
		return f, nil
	case "date":
		if d, err := time.Parse(dateLayout(s.DateFormat), text); err == nil {
			return d, nil
		}
		return nil, fmt.Errorf("got %q, want a date as %s", text, s.DateFormat)
	case "time":
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return t.UTC(), nil
		}
		return nil, fmt.Errorf("got %q, want a time such as 2026-01-31T12:30:00Z", text)
	default:
		switch strings.ToLower(text) {
		case "true", "yes", "1":
			return true, nil
		case "false", "no", "0":
			return false, nil
		}
		return nil, fmt.Errorf("got %q, want true or false", text)
	}
}

func badRow(line int, column, message string) map[string]any {
	return map[string]any{"row": line, "column": column, "message": message}
}

// badRows combines the first bad rows into one error.
func badRows(bad []any) error {
	const shown = 10
	var errs []error
	for _, b := range bad[:min(len(bad), shown)] {
		row := b.(map[string]any)
		where := fmt.Sprintf("line %d", row["row"])
		if row["column"] != "" {
			where += fmt.Sprintf(", column %q", row["column"])
		}
		errs = append(errs, fmt.Errorf("%s: %s", where, row["message"]))
	}
	if more := len(bad) - shown; more > 0 {
		errs = append(errs, fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}
