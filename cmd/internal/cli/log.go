package cli

import (
	"fmt"
	"io"

	"github.com/rs/zerolog"

	"botwork/config"
	"botwork/internal/logfile"
	"botwork/internal/redaction"
)

// OpenLog opens a worker's log: in the file of the settings, or else on standard error, and in
// addition on a terminal. Warnings and errors also go to alarms, if that is not nil. Secrets
// of the redactor are removed. The returned writer is for lines that are not written by the
// logger. The file stays open until the process exits.
func (a *App) OpenLog(redactor *redaction.Redactor, alarms zerolog.LevelWriter) (zerolog.Logger, io.Writer, error) {
	settings := a.Config.Log
	var writers []io.Writer
	if settings.File.Path != "" {
		file, err := openLogFile(settings.File)
		if err != nil {
			return zerolog.Nop(), nil, err
		}
		writers = append(writers, logForm(file, settings.Format, false))
	}
	if terminal := IsTerminal(a.Stderr); terminal || settings.File.Path == "" {
		writers = append(writers, logForm(wholeLines(Raw(a.Stderr)), settings.Format, terminal))
	}
	if alarms != nil {
		writers = append(writers, &zerolog.FilteredLevelWriter{Writer: alarms, Level: zerolog.WarnLevel})
	}
	return logTo(zerolog.MultiLevelWriter(writers...), settings.Level, redactor)
}

// NewLogger returns a logger that writes to w according to the settings, without the secrets
// of the redactor. The returned writer is for lines that are not written by the logger.
func NewLogger(w io.Writer, settings config.Log, redactor *redaction.Redactor) (zerolog.Logger, io.Writer, error) {
	return logTo(logForm(wholeLines(Raw(w)), settings.Format, IsTerminal(w)), settings.Level, redactor)
}

func logTo(w io.Writer, least string, redactor *redaction.Redactor) (zerolog.Logger, io.Writer, error) {
	level, err := zerolog.ParseLevel(least)
	if err != nil {
		return zerolog.Nop(), nil, err
	}
	// One line at a time: items log from several goroutines.
	to := zerolog.SyncWriter(redactor.Writer(w))
	return zerolog.New(to).Level(level).With().Timestamp().Logger(), to, nil
}

// openLogFile opens the log file of the settings.
func openLogFile(f config.LogFile) (*logfile.File, error) {
	file, err := logfile.Open(f.Path, logfile.Options{MaxSize: int64(f.MaxSizeMB) << 20, MaxFiles: f.MaxFiles, MaxAge: f.MaxAge})
	if err != nil {
		return nil, fmt.Errorf("log.file.path: %w", err)
	}
	return file, nil
}

// wholeLines keeps lines separate if w is a file, since a full disk may cut a line. The
// journal, which reads levels, is not a file.
func wholeLines(w io.Writer) io.Writer {
	if _, journal := w.(zerolog.LevelWriter); journal {
		return w
	}
	return logfile.NewLines(w)
}

// logForm writes lines to w in one of config.Formats.
func logForm(w io.Writer, format string, terminal bool) io.Writer {
	if format == "console" || format == "auto" && terminal {
		return ConsoleForm(w, terminal)
	}
	return w
}
