package reload

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/pipelines"
)

// desk is a folder of pipelines with a running Follow and its results.
type desk struct {
	*testing.T
	dir      string
	log      bytes.Buffer
	adopted  chan []string // the pipelines of each adopted catalogue
	reported []int
	fail     error // of Adopt
}

func newDesk(t *testing.T, pairs ...string) (*desk, *follower) {
	d := &desk{T: t, dir: t.TempDir(), adopted: make(chan []string, 100)}
	d.write(pairs...)
	current, findings := judge(d.files())
	if err := findings.Err(); err != nil {
		t.Fatal(err)
	}
	f := newFollower(Options{
		Dir: d.dir, Current: current, Judge: judge, Log: zerolog.New(&d.log),
		Adopt: func(_ context.Context, next *pipelines.Catalogue) error {
			if d.fail == nil {
				d.adopted <- messages(next)
			}
			return d.fail
		},
		OnErrorCount: func(mistakes int) { d.reported = append(d.reported, mistakes) },
	}, &watch{failed: map[string]bool{}})
	return d, f
}

func (d *desk) files() []pipelines.File {
	d.Helper()
	list, err := pipelines.ReadDir(d.dir, nil)
	if err != nil {
		d.Fatal(err)
	}
	return list
}

// write writes files for pairs of name and text; the text "-" deletes the file.
func (d *desk) write(pairs ...string) {
	d.Helper()
	for pair := range slices.Chunk(pairs, 2) {
		path := filepath.Join(d.dir, pair[0])
		var err error
		if pair[1] == "-" {
			err = os.Remove(path)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, []byte(pair[1]), 0o600)
		}
		if err != nil {
			d.Fatal(err)
		}
	}
}

// old sets the modification time of a file to a time long ago.
func (d *desk) old(name string, ago time.Duration) {
	d.Helper()
	at := time.Now().Add(-ago)
	if err := os.Chtimes(filepath.Join(d.dir, name), at, at); err != nil {
		d.Fatal(err)
	}
}

// want compares the next adopted catalogue.
func (d *desk) want(want ...string) {
	d.Helper()
	select {
	case got := <-d.adopted:
		if !slices.Equal(got, want) {
			d.Errorf("adopted %q, want %q", got, want)
		}
	case <-time.After(30 * time.Second):
		d.Fatalf("no catalogue was adopted within 30s, want %q", want)
	}
}

// wantNothing fails if a catalogue was adopted.
func (d *desk) wantNothing() {
	d.Helper()
	select {
	case got := <-d.adopted:
		d.Errorf("adopted %q, want nothing", got)
	default:
	}
}

// wantLogged fails unless the log contains n lines with the text.
func (d *desk) wantLogged(n int, text string) {
	d.Helper()
	if got := strings.Count(d.log.String(), text); got != n {
		d.Errorf("the log has %q %d times, want %d:\n%s", text, got, n, &d.log)
	}
}

// TestFollow uses the notifications of the operating system. The test may wait only for
// the last state after each change.
func TestFollow(t *testing.T) {
	d, f := newDesk(t, "a.yaml", steps("1"))
	var followed sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	followed.Go(func() { Follow(ctx, f.Options) })
	d.write("a.yaml", steps("2"))
	d.want("a=2")
	d.write("sub/b.yaml", steps("1")) // a new folder
	d.want("a=2", "b=1")
	d.write("sub/b.yaml", steps("2"))
	d.want("a=2", "b=2")
	d.write(".c.yaml.swp", steps("1"), "c.txt", "x") // temporary files of editors
	for _, text := range []string{broken, "steps: [", steps("3")} {
		d.write("a.yaml.new", text)
		if err := os.Rename(filepath.Join(d.dir, "a.yaml.new"), filepath.Join(d.dir, "a.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	d.want("a=3", "b=2")
	cancel()
	followed.Wait()
	d.wantNothing()
}

// TestPollsWithoutNotifications checks that changes on a network share are detected.
func TestPollsWithoutNotifications(t *testing.T) {
	d, f := newDesk(t, "a.yaml", steps("1"), "b.yaml", steps("1"))
	d.old("a.yaml", time.Hour)
	d.old("b.yaml", time.Hour)
	for range 2 {
		if wait := f.poll(t.Context()); wait != pollUnwatched {
			t.Errorf("polls again after %v, want %v", wait, pollUnwatched)
		}
	}
	d.wantNothing()
	d.write("a.yaml", steps("2"))
	d.old("a.yaml", 30*time.Minute)
	f.poll(t.Context())
	d.want("a=2", "b=1")

	d.write("a.yaml", steps("3")) // twice within the resolution of file times
	f.poll(t.Context())
	d.want("a=3", "b=1")
	info, err := os.Stat(filepath.Join(d.dir, "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d.write("a.yaml", steps("4"))
	if err := os.Chtimes(filepath.Join(d.dir, "a.yaml"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	f.poll(t.Context())
	d.want("a=4", "b=1")
}

func TestPollLogsOnce(t *testing.T) {
	d, f := newDesk(t, "a.yaml", steps("1"))
	d.write("a.yaml", broken)
	for range 3 {
		f.again = true
		f.poll(t.Context())
	}
	d.wantNothing()
	d.wantLogged(1, "unknown handler")
	d.wantLogged(1, "still using the previous version")
	d.write("a.yaml", steps("1"))
	f.again = true
	f.poll(t.Context())
	d.wantLogged(1, "valid again")
	if !slices.Equal(d.reported, []int{1, 0}) {
		t.Errorf("reported %v mistakes, want 1, then 0", d.reported)
	}
}

func TestPollRetries(t *testing.T) {
	d, f := newDesk(t, "a.yaml", steps("1"))
	d.fail = errors.New("the database is unavailable")
	d.write("a.yaml", steps("2"))
	d.old("a.yaml", time.Hour)
	if wait := f.poll(t.Context()); wait > pollUnwatched {
		t.Errorf("polls again after %v, want %v: work is unfinished", wait, pollUnwatched)
	}
	d.wantLogged(1, "the database is unavailable")
	d.fail = nil
	f.poll(t.Context())
	d.want("a=2")
}

func TestPollWithoutTheFolder(t *testing.T) {
	d, f := newDesk(t, "a.yaml", steps("1"))
	away := d.dir + ".away"
	if err := os.Rename(d.dir, away); err != nil {
		t.Fatal(err)
	}
	f.poll(t.Context())
	f.poll(t.Context())
	d.wantLogged(1, "cannot read the pipelines folder")
	if err := os.Rename(away, d.dir); err != nil {
		t.Fatal(err)
	}
	d.write("a.yaml", steps("2"))
	f.poll(t.Context())
	d.want("a=2")
	d.wantLogged(1, "is readable again")
}
