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
	// quiet is how long a folder is left alone after a notice: who copies files
	// sends many.
	quiet = 500 * time.Millisecond

	// restless bounds the wait for quiet.
	restless = 5 * time.Second

	// seldom is how often a folder is looked at of which the operating system
	// tells, often how often any other, or one with something to do over.
	seldom, often = time.Minute, 5 * time.Second
)

// Options say what is followed and who is told. All are needed.
type Options struct {
	Dir string

	// Current is the catalogue that holds at first; see Start. Findings are those
	// of its files, which have been reported.
	Current  *pipelines.Catalogue
	Findings strictyaml.Findings

	Judge Judge

	// Adopt takes a catalogue on. When it fails it is called again with the
	// next.
	Adopt func(ctx context.Context, next *pipelines.Catalogue) error

	// Told is told how many mistakes there are, whenever that changes.
	Told func(mistakes int)

	Log zerolog.Logger
}

// follower is the one goroutine that follows a folder.
type follower struct {
	Options
	folder folder
	watch  *watch
	seen   fingerprint
	again  bool // the files are to be read whatever the fingerprint says

	missing bool // the folder itself could not be read; told once

	// told is what was logged of the files last, mistakes how many those had.
	told     string
	mistakes int
}

// Follow follows the folder until ctx ends.
func Follow(ctx context.Context, o Options) {
	f := newFollower(o, newWatch(o.Log))
	defer f.watch.close()
	var (
		patience = time.NewTimer(0) // the first look: something may have changed since the start
		calm     = time.NewTimer(time.Hour)
		noticed  time.Time // the first notice that was not looked after yet
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
			// Such as an overflow: something has changed, nobody knows what.
			o.Log.Debug().Err(err).Msg("notices of changed pipelines were lost")
			f.again = true
		case <-calm.C:
		case <-patience.C:
		}
		noticed = time.Time{}
		patience.Reset(f.look(ctx))
	}
}

func newFollower(o Options, w *watch) *follower {
	reported := verdict{findings: o.Findings}
	return &follower{
		Options: o, folder: folder{judge: o.Judge, current: o.Current}, watch: w, again: true,
		told: reported.text(), mistakes: len(o.Findings.Of(strictyaml.Error)),
	}
}

// look reads the folder if it may have changed, and returns when to look again.
func (f *follower) look(ctx context.Context) time.Duration {
	now, err := take(f.Dir, time.Now())
	if err != nil {
		if !f.missing {
			f.Log.Error().Err(err).Str("folder", f.Dir).Msg("the pipelines folder cannot be read; what was read before holds")
		}
		f.missing = true
		return often
	}
	wait := often
	if f.watch.over(now.folders) {
		wait = seldom
	}
	if f.missing {
		f.missing, f.again = false, true
		f.Log.Info().Str("folder", f.Dir).Msg("the pipelines folder can be read again")
	}
	unchanged := !f.again && now.text == f.seen.text && !f.seen.young
	f.seen = now
	if unchanged {
		return wait
	}
	if !f.read(ctx) || now.young {
		return min(wait, often)
	}
	return wait
}

// read judges the files and hands on what is new. It tells whether nothing is left
// to be done.
func (f *follower) read(ctx context.Context) bool {
	files, err := pipelines.ReadDir(f.Dir, nil)
	if err != nil {
		f.again = true
		return false
	}
	v := f.folder.look(files, time.Now())
	f.tell(v)
	if !v.same() {
		if err := f.Adopt(ctx, v.catalogue); err != nil {
			if ctx.Err() == nil {
				f.Log.Error().Err(err).Msg("pipelines have changed and cannot be taken on yet; it is tried again")
			}
			f.again = true
			return false
		}
		f.folder.current = v.catalogue
		if !v.samePipelines() {
			f.Log.Info().Strs("added", v.added).Strs("changed", v.changed).Strs("removed", v.removed).Msg("pipelines reloaded")
		}
	}
	// A file that nobody could read, or that may come back, is asked for again.
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

// text is what there is to log of a verdict.
func (v *verdict) text() string {
	return v.findings.Error() + "\n" + strings.Join(v.kept, "\n") + "\n" + strings.Join(v.missing, "\n")
}

// tell logs what was found, unless it was logged already.
func (f *follower) tell(v verdict) {
	text, before := v.text(), f.mistakes
	f.mistakes = len(v.findings.Of(strictyaml.Error))
	if text == f.told {
		return
	}
	f.told = text
	for _, finding := range v.findings {
		level := zerolog.WarnLevel
		if finding.Severity != strictyaml.Warning {
			level = zerolog.ErrorLevel
		}
		f.Log.WithLevel(level).Stringer("finding", finding).Msg("found in the pipelines folder")
	}
	switch {
	case len(v.kept) > 0:
		f.Log.Error().Strs("files", v.kept).Msg("the texts of before hold until the mistakes are mended")
	case f.mistakes == 0 && before > 0:
		f.Log.Info().Msg("the pipelines have no mistakes any more")
	}
	if names := v.catalogue.BrokenNames(); len(names) > 0 {
		f.Log.Warn().Strs("pipelines", names).Msg("broken pipelines do not run: their items wait until the files are fixed")
	}
	if len(v.missing) > 0 {
		f.Log.Warn().Strs("files", v.missing).Msg("files of pipelines are gone; what was read of them holds for a while")
	}
	if f.mistakes != before {
		f.Told(f.mistakes)
	}
}
