//go:build !windows

package service

import (
	"io"
	"os"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
)

// gatherAlarms adds the journal's level to the lines on standard error if the journal reads
// them: to all lines, or only to warnings and errors if there is a log file.
func (a *command) gatherAlarms(string) {
	if os.Getenv("JOURNAL_STREAM") == "" {
		return
	}
	journal := journalWriter{cli.Raw(a.Stderr)}
	a.Stderr, a.alarms = journal, nil
	if a.Config.Log.File.Path != "" {
		a.alarms = journal
	}
}

// journalWriter writes the level before each line, in the format of systemd.
type journalWriter struct{ to io.Writer }

// Write implements io.Writer.
func (w journalWriter) Write(line []byte) (int, error) { return w.to.Write(line) }

// WriteLevel implements zerolog.LevelWriter.
func (w journalWriter) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	mark := ""
	switch level {
	case zerolog.TraceLevel, zerolog.DebugLevel:
		mark = "<7>"
	case zerolog.WarnLevel:
		mark = "<4>"
	case zerolog.ErrorLevel, zerolog.FatalLevel, zerolog.PanicLevel:
		mark = "<3>"
	}
	if _, err := w.to.Write(append([]byte(mark), line...)); err != nil {
		return 0, err
	}
	return len(line), nil
}
