package pipelines

import (
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// teeWriter writes each line of a run's log to the engine's log and, without secrets, to
// the run, which keeps the last lines with the item.
type teeWriter struct {
	engine *Engine
	run    *workqueue.Run
}

// Write implements io.Writer. A log that cannot be written, for example on a full disk,
// does not affect the run.
func (t *teeWriter) Write(line []byte) (int, error) {
	_, _ = t.run.Write([]byte(t.engine.redactor.Redact(string(line)))) // it keeps lines in memory and never fails
	return t.engine.logTo.Write(line)
}

// WriteLevel implements zerolog.LevelWriter, so that zerolog needs no adapter around the
// writer.
func (t *teeWriter) WriteLevel(_ zerolog.Level, line []byte) (int, error) { return t.Write(line) }
