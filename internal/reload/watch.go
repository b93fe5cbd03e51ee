package reload

import (
	"slices"

	"github.com/fsnotify/fsnotify"
	"github.com/rs/zerolog"
)

// watch listens to the operating system. Without it, the folder is looked at more
// often.
type watch struct {
	log     zerolog.Logger
	notices *fsnotify.Watcher // nil: none can be had
	failed  map[string]bool   // folders that cannot be watched; told once
}

func newWatch(log zerolog.Logger) *watch {
	w := &watch{log: log, failed: map[string]bool{}}
	notices, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn().Err(err).Msg("changes of pipelines are noticed later: the operating system tells of none")
		return w
	}
	w.notices = notices
	return w
}

// over watches these folders and no others. Folders are watched, not files: an
// editor that saves makes another file of the same name. It tells whether the
// operating system tells of changes in all of them.
func (w *watch) over(folders []string) bool {
	if w.notices == nil {
		return false
	}
	watched := w.notices.WatchList()
	all := true
	for _, folder := range folders {
		if remote(folder) {
			all = false // what other machines change there, nobody tells this one
		}
		if slices.Contains(watched, folder) {
			continue
		}
		if err := w.notices.Add(folder); err != nil {
			all = false
			if !w.failed[folder] {
				w.log.Warn().Err(err).Str("folder", folder).Msg("changes in a folder of pipelines are noticed later: it cannot be watched")
			}
			w.failed[folder] = true
		}
	}
	for _, folder := range watched {
		if !slices.Contains(folders, folder) {
			_ = w.notices.Remove(folder) // it is gone, and its watch mostly with it
		}
	}
	return all
}

// events and errors are nil, which never give, where there are no notices.
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
		_ = w.notices.Close() // the process goes on without it
	}
}
