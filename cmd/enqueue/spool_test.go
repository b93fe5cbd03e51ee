package enqueue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"botwork/internal/newitems"
	"botwork/workqueue"
)

func TestSpoolReturnsLines(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"short", "", strings.Repeat("long ", 100_000), "\x00\xff", "last"}
	for i, text := range want {
		if err := s.add(3*i+1, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.rewind(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("the folder for temporary files holds %v, want the file without a name", left)
		}
	}
	raw := make([]byte, 100)
	if _, err := s.file.ReadAt(raw, 0); err != nil || bytes.Contains(raw, []byte("short")) {
		t.Errorf("the file holds %q (%v), want it encrypted", raw, err)
	}
	for i, text := range want {
		if line, err := s.next(); err != nil || line.Number != 3*i+1 || string(line.Text) != text {
			t.Errorf("line %d = %.20q, %v, want %.20q", line.Number, line.Text, err, text)
		}
	}
	if _, err := s.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last line: %v, want io.EOF", err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// endless is a line that never ends.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += int64(len(p))
	if e.read > 100<<20 {
		return 0, errors.New("too much of it was read")
	}
	return len(p), nil
}

func TestReadLinesSkipsLongLines(t *testing.T) {
	text := strings.Repeat("y", 1000) + "\n\n" + strings.Repeat("z", 200_000) + "\nlast"
	var got []string
	err := newitems.ReadLines(strings.NewReader(text), 5000, func(l newitems.InputLine) bool {
		if cap(l.Text) > 1<<17 {
			t.Errorf("line %d is held in %d bytes", l.Number, cap(l.Text))
		}
		got = append(got, fmt.Sprint(l.Number, " ", l.TooLong))
		return true
	})
	if want := []string{"1 false", "3 true", "4 false"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("lines = %v, %v; want %v", got, err, want)
	}
	if err := newitems.ReadLines(&endless{}, 5000, func(newitems.InputLine) bool { return true }); err == nil {
		t.Error("an endless line has ended")
	}
}

// The same input results in the same batches, and none is too large.
func TestBatchesAreBounded(t *testing.T) {
	items := make([]workqueue.NewItem, 3000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range items {
		size := random.IntN(200)
		if i%500 < 20 {
			size = random.IntN(1 << 20)
		}
		items[i].Payload = workqueue.JSONText(strings.Repeat("x", size))
	}
	i := 0
	run := enqueueRun{source: itemSource{total: len(items), next: func() (workqueue.NewItem, int, error) {
		if i == len(items) {
			return workqueue.NewItem{}, 0, io.EOF
		}
		i++
		return items[i-1], i, nil
	}}}
	at := 0
	for {
		if err := run.fill(); err != nil {
			t.Fatal(err)
		}
		if len(run.items) == 0 {
			break
		}
		from, upTo := run.firstAndLastLine()
		if len(run.items) > enqueueBatch || run.bytes > enqueueBytes && len(run.items) > 1 || from != at+1 || upTo != at+len(run.items) {
			t.Errorf("part %d: %d items of %d bytes, lines %d to %d", run.part, len(run.items), run.bytes, from, upTo)
		}
		for j, it := range run.items {
			if it.Payload != items[at+j].Payload {
				t.Fatalf("part %d holds another item in place %d", run.part, j)
			}
		}
		at += len(run.items)
	}
	if at != len(items) {
		t.Errorf("got %d items, want %d", at, len(items))
	}
}

// listStore lists items by their ids.
type listStore struct {
	workqueue.ItemStore
	ids   []int64 // ascending
	pages int

	unreadable int // from this page on, each fails; 0: none
}

func (s *listStore) Items(_ context.Context, f workqueue.ItemFilter) (items []workqueue.Item, err error) {
	if s.pages++; s.unreadable > 0 && s.pages >= s.unreadable {
		return nil, errors.New("another session holds the row")
	}
	for _, id := range slices.Backward(s.ids) {
		if id < f.BeforeID && len(items) < f.Limit {
			items = append(items, workqueue.Item{ID: id})
		}
	}
	return items, nil
}

func TestEachEnqueuedItemIsPrintedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		done := enqueuedItems{keepIDs: true}
		want := map[int64]bool{} // whether it already existed
		next := int64(1)
		for range 1 + random.IntN(4) {
			var batch []workqueue.Enqueued
			for range random.IntN(20) {
				if next > 1 && random.IntN(3) == 0 {
					id := 1 + random.Int64N(next-1)
					batch = append(batch, workqueue.Enqueued{ID: id, Existing: true})
					if _, known := want[id]; !known {
						want[id] = true
					}
					continue
				}
				next += 1 + random.Int64N(3)*random.Int64N(1000)
				batch, want[next] = append(batch, workqueue.Enqueued{ID: next}), false
			}
			done.add(batch, random.IntN(1<<22))
			next++
		}
		store := &listStore{}
		for id := int64(1); id <= next; id++ {
			store.ids = append(store.ids, id)
		}
		last := int64(0)
		got := map[int64]bool{}
		list := func(made workqueue.Enqueued) error {
			if made.ID <= last {
				t.Errorf("item %d comes after %d", made.ID, last)
			}
			last, got[made.ID] = made.ID, made.Existing
			return nil
		}
		if random.IntN(2) == 0 {
			store.unreadable = 1 + random.IntN(3) // what cannot be read is listed by its id
		}
		unread, err := done.each(t.Context(), store, func(it workqueue.Item, existing bool) error {
			return list(workqueue.Enqueued{ID: it.ID, Existing: existing})
		}, list)
		if (unread != nil) != (store.unreadable > 0 && store.pages >= store.unreadable) {
			t.Fatalf("unread = %v after %d pages, of which number %d cannot be read", unread, store.pages, store.unreadable)
		}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got  %v, %v\nwant %v\nof %+v", got, err, want, done.ranges)
		}
	}
}
