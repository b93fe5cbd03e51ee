package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"botwork/handlers"
)

// ledger is the handler of a worker process that does no work. It records the id and the
// time of each successful run in a file outside the database. The lines survive when the
// process is killed, unless the ledger buffers them.
type ledger struct {
	// fail returns an error if this run should fail, which it decides at random; nil
	// means that no run fails.
	fail func() error

	mu     sync.Mutex
	file   *os.File
	writer *bufio.Writer // nil: each record is written immediately
}

// noted is one record of a ledger: a successful run.
type noted struct {
	id int64
	at time.Time
}

// openLedger creates a file or appends to it. If gather is set, the ledger writes its
// records only when it is closed.
func openLedger(path string, gather bool) (*ledger, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	l := &ledger{file: file}
	if gather {
		l.writer = bufio.NewWriterSize(file, 1<<16)
	}
	return l, nil
}

// Handle implements handlers.Handler.
func (l *ledger) Handle(_ context.Context, call *handlers.Call) (any, error) {
	if l.fail != nil {
		if err := l.fail(); err != nil {
			return nil, err
		}
	}
	var note [16]byte
	binary.LittleEndian.PutUint64(note[:], uint64(call.ItemID))
	binary.LittleEndian.PutUint64(note[8:], uint64(time.Now().UnixNano()))
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.writer != nil {
		_, err = l.writer.Write(note[:])
	} else {
		_, err = l.file.Write(note[:])
	}
	return nil, err
}

func (l *ledger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.writer != nil {
		err = l.writer.Flush()
	}
	return errors.Join(err, l.file.Close())
}

// readLedger calls note for each record of a file, in order. It ignores a record that was
// truncated by a kill, because its run had not ended.
func readLedger(path string, note func(noted)) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // killed before it created the file
	}
	if err != nil {
		return err
	}
	defer file.Close()
	var raw [16]byte
	for r := bufio.NewReader(file); ; {
		_, err := io.ReadFull(r, raw[:])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the ledger of a worker: %w", err)
		}
		note(noted{int64(binary.LittleEndian.Uint64(raw[:])), time.Unix(0, int64(binary.LittleEndian.Uint64(raw[8:])))})
	}
}
