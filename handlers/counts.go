package handlers

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/rs/zerolog"
)

// Counts are the numbers that a run reported, such as assigned items, in the order in which
// its steps first reported them. The zero value is ready to use.
type Counts []Count

// Count is a number with its name, which is a key of log lines.
type Count struct {
	Name string
	N    int
}

// Add adds n to the count of the name; 0 changes nothing.
func (c *Counts) Add(name string, n int) {
	if n == 0 {
		return
	}
	for i := range *c {
		if (*c)[i].Name == name {
			(*c)[i].N += n
			return
		}
	}
	*c = append(*c, Count{name, n})
}

// MarshalZerologObject adds the counts to a log line.
func (c Counts) MarshalZerologObject(e *zerolog.Event) {
	for _, count := range c {
		e.Int(count.Name, count.N)
	}
}

// MarshalJSON returns an object with a number for each name, in order.
func (c Counts) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, count := range c {
		if i > 0 {
			text.WriteByte(',')
		}
		name, err := json.Marshal(count.Name)
		if err != nil {
			return nil, err
		}
		text.Write(name)
		text.WriteByte(':')
		text.WriteString(strconv.Itoa(count.N))
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}
