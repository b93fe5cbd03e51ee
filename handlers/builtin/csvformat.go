package builtin

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"botwork/handlers"
	"botwork/internal/values"
)

func (s *csvStep) format(_ context.Context, call *handlers.Call) (any, error) {
	rows, err := s.rows(call)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	names := s.Names
	if len(names) == 0 {
		all := map[string]bool{}
		for _, row := range rows {
			for name := range row {
				all[name] = true
			}
		}
		names = slices.Sorted(maps.Keys(all))
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma, _ = utf8.DecodeRuneInString(s.separator())
	records := make([][]string, 0, len(rows)+1)
	if s.Header {
		records = append(records, names)
	}
	for _, row := range rows {
		record := make([]string, len(names))
		for i, name := range names {
			if record[i], err = s.cell(row[name]); err != nil {
				return nil, handlers.Permanent(fmt.Errorf("column %q: %w", name, err))
			}
		}
		records = append(records, record)
	}
	if err := w.WriteAll(records); err != nil {
		return nil, err
	}
	if s.To == "" {
		return b.String(), nil
	}
	if _, err := s.folders.write(s.To, true, &b); err != nil {
		return nil, err
	}
	return map[string]any{"path": s.To, "count": len(rows)}, nil
}

func (s *csvStep) rows(call *handlers.Call) ([]map[string]any, error) {
	if s.Rows != nil {
		return s.Rows, nil
	}
	list, ok := call.Input.([]any)
	if !ok {
		return nil, fmt.Errorf("the step's input is %s, want a list of rows; or give rows", values.Describe(call.Input))
	}
	rows := make([]map[string]any, len(list))
	for i, v := range list {
		row, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("row %d is %s, want a map", i, values.Describe(v))
		}
		rows[i] = row
	}
	return rows, nil
}

// cell writes one value: dates as dateFormat says, other times in RFC 3339,
// lists and maps as JSON.
func (s *csvStep) cell(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case float64:
		text, _ := values.NumberText(v)
		return strings.Replace(text, ".", s.decimalSign(), 1), nil
	case time.Time:
		if v = v.UTC(); v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(dateLayout(s.DateFormat)), nil
		}
		return v.Format(time.RFC3339Nano), nil
	}
	if kind := reflect.TypeOf(v).Kind(); kind == reflect.Slice || kind == reflect.Map {
		return encodeJSON(v, "")
	}
	return fmt.Sprint(v), nil
}

func (s *csvStep) decimalSign() string {
	if s.Decimal == "comma" {
		return ","
	}
	return "."
}
