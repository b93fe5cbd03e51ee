package lsp

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/author/lsp/rpc"
)

// server is one connection's.
type server struct {
	opts Options
	conn *rpc.Conn
	ctx  context.Context // the connection's life, for what outlives a message
	stop context.CancelFunc

	requests map[string]request

	// Owned by the goroutine that takes messages; what initialize sets is read
	// by others later.
	initialized, finished bool
	client                capabilities
	utf8                  bool
	root                  string // a folder, "" when the client names none

	gone atomic.Bool   // the client's process has ended
	kick chan struct{} // something has changed

	mu        sync.Mutex
	docs      documents          // guarded by mu; replaced, never changed
	projects  map[string]*opened // guarded by mu; by settings file
	published map[string]publishParams
	fixes     map[string]fixes // guarded by mu; by URI, as it was checked last
}

// read returns the text of a file, from the editor if it has it.
func (ds documents) read(path string) ([]byte, error) {
	if d := ds.file(path); d != nil {
		return []byte(d.text), nil
	}
	return os.ReadFile(path)
}

// changed tells that the checks have to be made again.
func (s *server) changed() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// processPoll is how often the client's process is looked at: a client that was
// killed may have left the pipe with a child of its own.
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
