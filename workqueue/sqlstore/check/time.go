package check

import (
	"fmt"
	"time"

	"botwork/internal/database"
)

// seenTime is a time that is only shown and compared. It keeps a value that cannot be parsed as
// it is, so that the query does not fail.
type seenTime struct {
	time.Time
	Valid bool
	raw   string
}

// Scan implements sql.Scanner.
func (t *seenTime) Scan(src any) error {
	*t = seenTime{}
	var at database.Time
	if err := at.Scan(src); err != nil {
		t.raw = fmt.Sprint(src)
		if text, ok := src.([]byte); ok {
			t.raw = string(text)
		}
		return nil
	}
	t.Time, t.Valid = at.Time, at.Valid
	return nil
}

// pointer returns nil if the value is not a time.
func (t seenTime) pointer() *time.Time {
	if !t.Valid {
		return nil
	}
	return &t.Time
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
