package sqlstore

import (
	"strconv"

	sqlfiles "botwork/sql"
)

// cellValues are the values of an item for the statement enqueue: strings, int64, and nil for
// NULL.
type cellValues [sqlfiles.CellCount]any

// text sets a cleaned text; "" becomes NULL.
func (v *cellValues) text(c sqlfiles.Cell, text string) {
	if text != "" {
		v[c] = clean(text)
	}
}

// appendRows appends the rows as the parameter of the statement: a JSON list of objects with
// the given cells, without those that are NULL.
func appendRows(b []byte, rows []newItemRow, which sqlfiles.CellSet) []byte {
	b = append(b, '[')
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		for c, v := range rows[i].cells {
			if v == nil || !which.Has(sqlfiles.Cell(c)) {
				continue
			}
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(append(append(b, '"'), sqlfiles.Cell(c).Name()...), `":`...)
			if text, ok := v.(string); ok {
				b = appendText(b, text)
			} else {
				b = strconv.AppendInt(b, v.(int64), 10)
			}
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendText appends a text, which is valid UTF-8, as a JSON string.
func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[from:i]...)
		if c < ' ' {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			b = append(b, '\\', c)
		}
		from = i + 1
	}
	return append(append(b, text[from:]...), '"')
}
