package tasks

import (
	"fmt"
	"strings"
)

// Importance is the importance of a task relative to others. It is stored as a number.
type Importance int

// The importances.
const (
	Low    Importance = 0
	Normal Importance = 1
	High   Importance = 2
)

var importanceNames = [...]string{"low", "normal", "high"}

func (i Importance) known() bool { return i >= Low && i <= High }

func (i Importance) String() string {
	if !i.known() {
		return fmt.Sprintf("Importance(%d)", int(i))
	}
	return importanceNames[i]
}

// MarshalText writes the name.
func (i Importance) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads a name or a number.
func (i *Importance) UnmarshalText(text []byte) (err error) {
	*i, err = ParseImportance(string(text))
	return err
}

// ParseImportance parses a name, ignoring case, or a number.
func ParseImportance(text string) (Importance, error) {
	for i, name := range importanceNames {
		if strings.EqualFold(text, name) || text == fmt.Sprint(i) {
			return Importance(i), nil
		}
	}
	return 0, fmt.Errorf("got %q, want low, normal or high", text)
}
