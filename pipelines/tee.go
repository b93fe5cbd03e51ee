package pipelines

import "io"

// teeWriter writes each line of a run's log to the log and to the run, which
// keeps the last ones with the item.
type teeWriter struct {
	log io.Writer
	run io.Writer
}

// Write implements io.Writer. A log that cannot be written, such as a full
// disk, takes nothing from the run.
func (t *teeWriter) Write(line []byte) (int, error) {
	_, _ = t.run.Write(line) // it keeps lines in memory and never fails
	return t.log.Write(line)
}
