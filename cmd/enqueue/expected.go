package enqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/internal/process"
	"botwork/workqueue/assign"
)

// expectFor is how long the forecast of an item's start may take, so that enqueue does not
// wait long.
const expectFor = 2 * time.Second

// expectation is when an item is expected to start. The text is empty if the item does not wait.
type expectation struct {
	At   *time.Time
	Text string
}

// startExpectations forecasts when items will start, like items why.
type startExpectations struct {
	why func(ctx context.Context, id int64) (assign.Reason, error)
	err error
}

// newStartExpectations reads the pipelines folder. Errors are shown instead of an expectation,
// because the items are already in the queue.
func (a *command) newStartExpectations(backend cli.Backend) *startExpectations {
	e := &startExpectations{}
	if server, ok := backend.(*remote.Server); ok {
		e.why = server.Why
		return e
	}
	store, ok := cli.StoreOf(backend)
	if !ok {
		e.err = errors.New("there is no database")
		return e
	}
	checker, err := a.Checker()
	if err != nil {
		e.err = err
		return e
	}
	catalogue, _, err := projectdir.Catalogue(a.App, checker)
	if err != nil {
		e.err = err
		return e
	}
	quiet := *a.App.App
	quiet.Stderr = io.Discard // other commands report errors in files
	link := &process.Link{}
	link.SetCatalogue(catalogue)
	params := projectdir.WhyParams(&projectdir.App{App: &quiet, Kinds: a.Kinds}, &projectdir.Passes{Catalogue: catalogue, Services: a.QueueServices(link), Log: zerolog.Nop()}, store)
	e.why = func(ctx context.Context, id int64) (assign.Reason, error) { return assign.Why(ctx, store, id, params) }
	return e
}

// of returns when an item is expected to start.
func (e *startExpectations) of(ctx context.Context, id int64) expectation {
	if e.err != nil {
		return expectation{Text: "unknown: " + oneLine(e.err)}
	}
	ctx, cancel := context.WithTimeout(ctx, expectFor)
	defer cancel()
	r, err := e.why(ctx, id)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil:
		return expectation{Text: fmt.Sprintf("unknown: the forecast takes more than %s; hint: botwork items why %d", expectFor, id)}
	case err != nil:
		return expectation{Text: "unknown: " + oneLine(err)}
	}
	if r.Kind == assign.WhyRunning {
		return expectation{Text: "now"} // a worker was faster than this command
	}
	return expectation{At: r.ExpectedAt, Text: r.Expected}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// firstAndLast returns the expectations of the first and the last of many items.
func (e *startExpectations) firstAndLast(ctx context.Context, ids []int64) map[int64]expectation {
	expected := map[int64]expectation{}
	for _, id := range []int64{ids[0], ids[len(ids)-1]} {
		if _, ok := expected[id]; !ok {
			expected[id] = e.of(ctx, id)
		}
	}
	return expected
}
