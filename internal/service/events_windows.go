package service

import "golang.org/x/sys/windows/svc/eventlog"

// Events writes to Windows' event log with the source of a service.
type Events struct{ log *eventlog.Log }

// The event ids, by which an administrator can filter.
const (
	EventStarted = 1
	EventStopped = 2
	EventWarning = 3
	EventError   = 4
	EventRefused = 5 // settings or pipelines have errors
)

// OpenEvents opens the event log.
func OpenEvents(source string) (*Events, error) {
	log, err := eventlog.Open(source)
	if err != nil {
		return nil, err
	}
	return &Events{log}, nil
}

// mostText is how many characters Windows accepts in an event.
const mostText = 31_839

func cut(text string) string {
	if runes := []rune(text); len(runes) > mostText/2 { // a rune may take two
		return string(runes[:mostText/2])
	}
	return text
}

// Info, Warning and Error write an event.
func (e *Events) Info(id uint32, text string) error    { return e.log.Info(id, cut(text)) }
func (e *Events) Warning(id uint32, text string) error { return e.log.Warning(id, cut(text)) }
func (e *Events) Error(id uint32, text string) error   { return e.log.Error(id, cut(text)) }
