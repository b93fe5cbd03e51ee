package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"botwork/handlers"
	"botwork/internal/bench/mixed"
	"botwork/internal/process"
	"botwork/workqueue"
)

const mixedPipeline, lowPipeline = "mixed", "ExecuteLowPriorityWorkQueue"

// mixedText returns the pipeline of the items.
func mixedText(scale float64) string {
	delay := mixed.Load{Scale: scale}.RetryDelay()
	return fmt.Sprintf("resilience: {limit: 100, delay: %s, maxDelay: %s, jitter: 0}\n%s", delay, delay, noopText)
}

// mixedPayload is the payload of an item, which its handler reads.
type mixedPayload struct {
	Takes int64      `json:"takes"` // all times are nanoseconds
	Kind  mixed.Kind `json:"kind"`
	After int64      `json:"after"`
}

// mixedItem converts an item of the load to a new item of the queue.
func mixedItem(it mixed.Item) workqueue.NewItem {
	payload, err := json.Marshal(mixedPayload{int64(it.Takes), it.Kind, int64(it.After)})
	if err != nil {
		panic(err) // only numbers and one word: cannot fail
	}
	n := workqueue.NewItem{
		State: workqueue.Pending, Priority: it.Priority, IntegrationConfig: mixedPipeline,
		Payload: workqueue.JSONText(payload), Estimate: it.Estimate,
	}
	switch it.Kind {
	case mixed.Ahead:
		n.In = it.After
	case mixed.Expires:
		n.DeadlineIn = it.After
	}
	return n
}

// mixedLedger is the handler of a mixed load. It runs for as long as the item says, and
// records each run in a file outside the database.
type mixedLedger struct {
	path string

	mu     sync.Mutex
	file   *os.File
	writer *bufio.Writer
}

// mixedNote is the record of a run in the file; times are nanoseconds of the wall clock.
type mixedNote struct{ ItemID, Began, Ended, End int64 }

func openMixedLedger(path string) (*mixedLedger, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &mixedLedger{path: path, file: file, writer: bufio.NewWriterSize(file, 1<<16)}, nil
}

// Handle implements handlers.Handler.
func (l *mixedLedger) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	note := mixedNote{ItemID: call.ItemID, Began: time.Now().UnixNano()}
	end, err := l.perform(ctx, call)
	note.End, note.Ended = int64(end), time.Now().UnixNano()
	l.mu.Lock()
	defer l.mu.Unlock()
	return nil, errors.Join(err, binary.Write(l.writer, binary.LittleEndian, note))
}

func (l *mixedLedger) perform(ctx context.Context, call *handlers.Call) (mixed.End, error) {
	var p mixedPayload
	text, err := json.Marshal(call.Payload)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return mixed.Cut, err
	}
	if err := sleepUntil(ctx, time.Now().Add(time.Duration(p.Takes))); err != nil {
		return mixed.Cut, err
	}
	if p.Kind != mixed.Fails && p.Kind != mixed.Snoozes {
		return mixed.Done, nil
	}
	first, err := l.first(call.ItemID)
	switch {
	case err != nil:
		return mixed.Cut, err
	case !first:
		return mixed.Done, nil
	case p.Kind == mixed.Fails:
		return mixed.Failed, errByChance
	default:
		return mixed.Snoozed, handlers.Snooze(time.Duration(p.After), "requested by the measurement")
	}
}

// first reports whether this is the first run of the item in any process. It creates a
// file, which only one process can create.
func (l *mixedLedger) first(id int64) (bool, error) {
	file, err := os.OpenFile(filepath.Join(filepath.Dir(l.path), fmt.Sprint("ran-", id)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, file.Close()
}

func (l *mixedLedger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.writer.Flush(), l.file.Close())
}

// readRuns adds the runs of all workers to the lives of their items.
func (m *mixedRound) readRuns() error {
	byID := make(map[int64]*mixed.Life, len(m.ids))
	for i, id := range m.ids {
		byID[id] = &m.lives[i]
	}
	for worker := range m.o.Workers {
		if err := m.readLedger(worker, byID); err != nil {
			return fmt.Errorf("read the ledger of worker %d: %w", worker+1, err)
		}
	}
	for i := range m.lives {
		m.lives[i].SortRuns()
	}
	return nil
}

func (m *mixedRound) readLedger(worker int, byID map[int64]*mixed.Life) error {
	file, err := os.Open(m.ledgerOf(worker))
	if err != nil {
		return err
	}
	defer file.Close()
	for r := bufio.NewReader(file); ; {
		var n mixedNote
		if err := binary.Read(r, binary.LittleEndian, &n); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		l, ok := byID[n.ItemID]
		if !ok {
			return fmt.Errorf("item %d was not enqueued", n.ItemID)
		}
		at := func(nanoseconds int64) time.Duration { return time.Unix(0, nanoseconds).Sub(m.zero) }
		l.Runs = append(l.Runs, mixed.Run{Worker: worker, Began: at(n.Began), Ended: at(n.Ended), End: mixed.End(n.End)})
	}
}

// serveMixed runs the schedules, and requests the pipeline of low items again and again,
// because its own schedule starts only every three hours.
func (j job) serveMixed(ctx context.Context, proc *process.Process, out *json.Encoder) error {
	if err := proc.Start(ctx); err != nil {
		return err
	}
	if err := out.Encode(word{Started: true}); err != nil {
		return err
	}
	var requests sync.WaitGroup
	defer requests.Wait()
	tick := time.NewTicker(mixed.LowEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			// A request is refused while a run is active. RunOnce returns when its run
			// has ended.
			requests.Go(func() { _ = proc.RunOnce(ctx, lowPipeline) })
		}
	}
}
