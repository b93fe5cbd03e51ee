package sqlstore

import "fmt"

// seenTime is a time that is only shown and compared: a value that cannot be parsed is kept
// as it is, instead of failing the whole query.
type seenTime struct {
	utcTime
	raw string
}

// Scan implements sql.Scanner.
func (t *seenTime) Scan(src any) error {
	*t = seenTime{}
	if err := t.utcTime.Scan(src); err != nil {
		t.raw = fmt.Sprint(src)
		if text, ok := src.([]byte); ok {
			t.raw = string(text)
		}
	}
	return nil
}

func (t seenTime) String() string {
	switch {
	case t.Valid:
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	case t.raw != "":
		return fmt.Sprintf("%q", t.raw)
	}
	return "NULL"
}
