package reload

import (
	"slices"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

// watch receives file change notifications from the operating system. Without them, the
// folder is polled more often.
type watch struct {
	log     zerolog.Logger
	notices *fsnotify.Watcher // nil: not available
	failed  map[string]bool   // folders that cannot be watched; logged once
}

func newWatch(log zerolog.Logger) *watch {
	w := &watch{log: log, failed: map[string]bool{}}
	notices, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn().Err(err).Msg("no file change notifications from the operating system; polling for changed pipelines")
		return w
	}
	w.notices = notices
	return w
}

// over watches these folders and no others. It watches folders, not files, because an
// editor that saves creates another file with the same name. It reports whether the
// operating system notifies of changes in all of them.
func (w *watch) over(folders []string) bool {
	if w.notices == nil {
		return false
	}
	watched := w.notices.WatchList()
	all := true
	for _, folder := range folders {
		if remote(folder) {
			all = false // no notifications of what other machines change
		}
		if slices.Contains(watched, folder) {
			continue
		}
		if err := w.notices.Add(folder); err != nil {
			all = false
			if !w.failed[folder] {
				w.log.Warn().Err(err).Str("folder", folder).Msg("cannot watch a pipelines folder; polling it for changes")
			}
			w.failed[folder] = true
		}
	}
	for _, folder := range watched {
		if !slices.Contains(folders, folder) {
			_ = w.notices.Remove(folder) // the folder is deleted, and usually its watch too
		}
	}
	return all
}

// events and errors return nil channels, which never receive, if there are no
// notifications.
func (w *watch) events() <-chan fsnotify.Event {
	if w.notices == nil {
		return nil
	}
	return w.notices.Events
}

func (w *watch) errors() <-chan error {
	if w.notices == nil {
		return nil
	}
	return w.notices.Errors
}

func (w *watch) close() {
	if w.notices != nil {
		_ = w.notices.Close() // the process works without it
	}
}
