package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"botwork/internal/tests/chaos/ledger"
)

func TestConcurrentLinesDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const runs, ticks = 8, 200
	var all sync.WaitGroup
	for item := range int64(runs) {
		all.Go(func() {
			book, err := ledger.Open(path, ledger.Run{Item: item + 1, Fence: 2, Attempt: 3, PID: 4, Worker: "w"})
			if err != nil {
				t.Error(err)
				return
			}
			defer book.Close()
			for range ticks {
				if err := book.Write(ledger.Tick); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := ledger.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	count := map[int64]int{}
	last := map[int64]int64{}
	for _, l := range lines {
		want := ledger.Run{Item: l.Item, Fence: 2, Attempt: 3, PID: 4, Worker: "w"}
		if l.Run != want || l.Kind != ledger.Tick || l.At < last[l.Item] {
			t.Errorf("got %+v after %d, want %+v and times that do not decrease", l, last[l.Item], want)
		}
		count[l.Item]++
		last[l.Item] = l.At
	}
	for item := range int64(runs) {
		if count[item+1] != ticks {
			t.Errorf("item %d has %d lines, want %d", item+1, count[item+1], ticks)
		}
	}
}

func TestTornLineIsAnError(t *testing.T) {
	_, err := ledger.Read(strings.NewReader(`{"item":1,"kind":"begin"}` + "\n" + `{"item":2,"ki`))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("Read = %v, want an error that names line 2", err)
	}
}

func TestOpenDoesNotCreateLedger(t *testing.T) {
	if _, err := ledger.Open(filepath.Join(t.TempDir(), "ledger"), ledger.Run{}); !os.IsNotExist(err) {
		t.Errorf("Open = %v, want a file that does not exist", err)
	}
}
