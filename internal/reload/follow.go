package reload

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

const (
	// quiet is how long to wait after a notification before reading the folder: copying
	// files causes many notifications.
	quiet = 500 * time.Millisecond

	// restless is the longest wait for quiet.
	restless = 5 * time.Second

	// pollWatched is how often to check a folder that the operating system reports changes
	// of; pollUnwatched is for any other folder, and for one with unfinished work.
	pollWatched, pollUnwatched = time.Minute, 5 * time.Second
)

// Options configure Follow. All fields are required.
type Options struct {
	Dir string

	// Current is the catalogue in use at first; see Start. Findings are those of its files;
	// they were reported already.
	Current  *pipelines.Catalogue
	Findings strictyaml.Findings

	Judge CheckFunc

	// Adopt puts a catalogue into use. If it fails, it is called again with the next one.
	Adopt func(ctx context.Context, next *pipelines.Catalogue) error

	// OnErrorCount is called with the number of errors whenever that number changes.
	OnErrorCount func(mistakes int)

	Log zerolog.Logger
}

// follower watches a folder. It belongs to one goroutine.
type follower struct {
	Options
	folder folder
	watch  *watch
	seen   fingerprint
	again  bool // read the files even if the fingerprint has not changed

	missing bool // the folder could not be read; logged once

	// logged is the last verdict that was logged; mistakes is its number of errors.
	logged   string
	mistakes int
}

// Follow watches the folder until ctx ends.
func Follow(ctx context.Context, o Options) {
	f := newFollower(o, newWatch(o.Log))
	defer f.watch.close()
	var (
		patience = time.NewTimer(0) // 0: the files may have changed since the start
		calm     = time.NewTimer(time.Hour)
		noticed  time.Time // the first notification that was not handled yet
	)
	defer patience.Stop()
	defer calm.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, ok := <-f.watch.events():
			if !ok || event.Name == "" {
				continue
			}
			if noticed.IsZero() {
				noticed = time.Now()
			}
			f.again = true
			calm.Reset(max(0, min(quiet, restless-time.Since(noticed))))
			continue
		case err := <-f.watch.errors():
			// For example an overflow: something changed, but it is unknown what.
			o.Log.Debug().Err(err).Msg("file change notifications were lost; checking all pipeline files")
			f.again = true
		case <-calm.C:
		case <-patience.C:
		}
		noticed = time.Time{}
		patience.Reset(f.poll(ctx))
	}
}

func newFollower(o Options, w *watch) *follower {
	reported := verdict{findings: o.Findings}
	return &follower{
		Options: o, folder: folder{checkFiles: o.Judge, current: o.Current}, watch: w, again: true,
		logged: reported.text(), mistakes: len(o.Findings.WithSeverity(strictyaml.Error)),
	}
}

// poll reads the folder if it may have changed, and returns when to poll again.
func (f *follower) poll(ctx context.Context) time.Duration {
	now, err := takeFingerprint(f.Dir, time.Now())
	if err != nil {
		if !f.missing {
			f.Log.Error().Err(err).Str("folder", f.Dir).Msg("cannot read the pipelines folder; still using the loaded pipelines")
		}
		f.missing = true
		return pollUnwatched
	}
	wait := pollUnwatched
	if f.watch.over(now.folders) {
		wait = pollWatched
	}
	if f.missing {
		f.missing, f.again = false, true
		f.Log.Info().Str("folder", f.Dir).Msg("pipelines folder is readable again")
	}
	unchanged := !f.again && now.text == f.seen.text && !f.seen.young
	f.seen = now
	if unchanged {
		return wait
	}
	if !f.read(ctx) || now.young {
		return min(wait, pollUnwatched)
	}
	return wait
}

// read checks the files and adopts changes. It reports whether it has finished.
func (f *follower) read(ctx context.Context) bool {
	files, err := pipelines.ReadDir(f.Dir, nil)
	if err != nil {
		f.again = true
		return false
	}
	v := f.folder.check(files, time.Now())
	f.logFindings(v)
	if !v.same() {
		if err := f.Adopt(ctx, v.catalogue); err != nil {
			if ctx.Err() == nil {
				f.Log.Error().Err(err).Msg("could not apply changed pipelines; retrying")
			}
			f.again = true
			return false
		}
		f.folder.current = v.catalogue
		if !v.samePipelines() {
			f.Log.Info().Strs("added", v.added).Strs("changed", v.changed).Strs("removed", v.removed).Msg("pipelines reloaded")
		}
	}
	// Read again a file that could not be read or that may return.
	f.again = len(v.missing) > 0 || unreadable(files)
	return !f.again
}

func unreadable(files []pipelines.File) bool {
	for _, file := range files {
		if file.Err != nil && !os.IsNotExist(file.Err) {
			return true
		}
	}
	return false
}

// text is the part of a verdict that gets logged.
func (v *verdict) text() string {
	return v.findings.Error() + "\n" + strings.Join(v.kept, "\n") + "\n" + strings.Join(v.missing, "\n")
}

// logFindings logs the findings, unless it has logged the same ones before.
func (f *follower) logFindings(v verdict) {
	text, before := v.text(), f.mistakes
	f.mistakes = len(v.findings.WithSeverity(strictyaml.Error))
	if text == f.logged {
		return
	}
	f.logged = text
	for _, finding := range v.findings {
		level := zerolog.WarnLevel
		if finding.Severity != strictyaml.Warning {
			level = zerolog.ErrorLevel
		}
		f.Log.WithLevel(level).Stringer("finding", finding).Msg("problem in a pipeline file")
	}
	switch {
	case len(v.kept) > 0:
		f.Log.Error().Strs("files", v.kept).Msg("reload failed; still using the previous version")
	case f.mistakes == 0 && before > 0:
		f.Log.Info().Msg("all pipeline files are valid again")
	}
	if names := v.catalogue.BrokenNames(); len(names) > 0 {
		f.Log.Warn().Strs("pipelines", names).Msg("broken pipelines do not run; their items wait until the files are fixed")
	}
	switch {
	case len(v.missing) > 0 && v.allGone:
		f.Log.Warn().Strs("files", v.missing).Msg("all pipeline files are missing; keeping the loaded pipelines until files return")
	case len(v.missing) > 0:
		f.Log.Warn().Strs("files", v.missing).Msg("pipeline files deleted; unloading in 1 minute")
	}
	if f.mistakes != before {
		f.OnErrorCount(f.mistakes)
	}
}
