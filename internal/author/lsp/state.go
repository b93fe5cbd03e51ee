package lsp

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/author/lsp/rpc"
)

// server is the state of one connection.
type server struct {
	opts Options
	conn *rpc.Conn
	ctx  context.Context // ends with the connection
	stop context.CancelFunc

	requests map[string]request

	// Written by the goroutine that handles messages. Other goroutines read the
	// values of initialize later.
	initialized, finished bool
	client                capabilities
	utf8                  bool
	root                  string // the client's folder, "" if it has none

	gone atomic.Bool   // the client's process has ended
	kick chan struct{} // something has changed

	mu        sync.Mutex
	docs      documents          // guarded by mu; replaced, never changed
	projects  map[string]*opened // guarded by mu; by settings file
	published map[string]publishParams
	fixes     map[string]fixes // guarded by mu; by URI, as of the last check
}

// read returns the text of a file, from the editor if it has it.
func (ds documents) read(path string) ([]byte, error) {
	if d := ds.file(path); d != nil {
		return []byte(d.text), nil
	}
	return os.ReadFile(path)
}

// changed requests a new check.
func (s *server) changed() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// processPoll is the interval at which the server checks that the client's process
// exists. If the client was killed, one of its children can still hold the pipe open.
const processPoll = 3 * time.Second

// watchProcess ends the server when the client's process has ended.
func (s *server) watchProcess(id int) {
	go func() {
		ticker := time.NewTicker(processPoll)
		defer ticker.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-ticker.C:
				if !alive(id) {
					s.gone.Store(true)
					s.stop()
					return
				}
			}
		}
	}()
}
