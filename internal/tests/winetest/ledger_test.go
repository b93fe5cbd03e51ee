//go:build linux

package winetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// noted is a pipeline whose items write to a ledger: a line when they begin
// and a line when they have ended.
const noted = `
steps:
  - handler: File
    with: {op: append, path: "ledger/${{ item.id }}", content: "begun\n"}
  - handler: Delay
    with: {for: %s}
  - handler: File
    with: {op: append, path: "ledger/${{ item.id }}", content: "ended\n"}
`

// entry is what the ledger has about one item.
type entry struct{ begun, ended int }

// ledger reads the ledger.
func (m *machine) ledger() map[int64]entry {
	m.Helper()
	files, err := filepath.Glob(m.path("work/data/ledger/*"))
	if err != nil {
		m.Fatal(err)
	}
	book := map[int64]entry{}
	for _, file := range files {
		id, err := strconv.ParseInt(filepath.Base(file), 10, 64)
		if err != nil {
			m.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			m.Fatal(err)
		}
		book[id] = entry{strings.Count(string(data), "begun\n"), strings.Count(string(data), "ended\n")}
	}
	return book
}

// states returns the states of the items in the database, by id.
func (m *machine) states() map[int64]string {
	m.Helper()
	var list []struct {
		ID    int64  `json:"id"`
		State string `json:"stateName"`
	}
	m.botwork("items", "list", "--config", `C:\work\botwork.yaml`, "--limit", "1000", "--output", "json").want(0).decode(&list)
	states := map[int64]string{}
	for _, it := range list {
		states[it.ID] = it.State
	}
	return states
}

// enqueue adds n items of a pipeline.
func (m *machine) enqueue(pipeline string, n, priority int) {
	m.Helper()
	m.botwork("enqueue", "--config", `C:\work\botwork.yaml`, "--pipeline", pipeline, "--count", strconv.Itoa(n), "--priority", strconv.Itoa(priority)).want(0)
}

// awaitEnded waits until n items have ended in the ledger.
func (m *machine) awaitEnded(n int) {
	m.Helper()
	m.await(fmt.Sprintf("%d items have ended", n), func() bool {
		ended := 0
		for _, e := range m.ledger() {
			ended += e.ended
		}
		return ended >= n
	})
}

// wantNothingLost fails unless each item is finished and has ended once, or is ready
// and has not ended. It returns how many are ready, and how many of those had begun.
func (m *machine) wantNothingLost(items int) (ready, begun int) {
	m.Helper()
	book, states := m.ledger(), m.states()
	if len(states) != items {
		m.Errorf("the database has %d items, want %d", len(states), items)
	}
	for id, state := range states {
		e := book[id]
		switch {
		case state == "Processed" && e.ended == 1:
		case (state == "Ready" || state == "Pending") && e.ended == 0:
			ready++
			begun += min(1, e.begun)
		default:
			m.Errorf("item %d is %s, began %d times and ended %d times; want it processed and ended once, or ready and not ended", id, state, e.begun, e.ended)
		}
	}
	return ready, begun
}
