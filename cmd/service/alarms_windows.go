package service

import (
	"github.com/rs/zerolog"

	"botwork/internal/service"
)

// gatherAlarms sends warnings and errors to the event log. Without an event log they are only
// in the log file.
func (a *command) gatherAlarms(name string) {
	if events, err := service.OpenEvents(name); err == nil {
		a.alarms = eventWriter{events}
	}
}

// eventWriter writes log lines as events.
type eventWriter struct{ events *service.Events }

// Write implements io.Writer for lines without a level.
func (w eventWriter) Write(line []byte) (int, error) { return w.WriteLevel(zerolog.NoLevel, line) }

// WriteLevel implements zerolog.LevelWriter. An event log that is full or stopped must not keep a
// line from the file: its error is ignored.
func (w eventWriter) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	switch {
	case level == zerolog.WarnLevel:
		_ = w.events.Warning(service.EventWarning, alarmText(line))
	case level > zerolog.WarnLevel && level < zerolog.NoLevel:
		_ = w.events.Error(service.EventError, alarmText(line))
	}
	return len(line), nil
}
