package handlers

import "github.com/rs/zerolog"

// Counts are the numbers of what a run did, such as assigned items, in the order in
// which its steps reported them first. The zero value is ready to use.
type Counts []Count

// Count is one number with its name, a key of log lines.
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
