package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/api"
	"botwork/internal/dashboard"
	"botwork/internal/httpserver"
	"botwork/workqueue/sqlstore"
)

// serveAPI serves the HTTP API and the pages until the input ends, and answers each line with what this process
// has used.
func (j job) serveAPI(ctx context.Context, store *sqlstore.Store, observed *atomic.Int64, lines *bufio.Reader, out *json.Encoder) (err error) {
	// One token and one address send all requests, so their rates are not limited.
	limits := httpserver.Limits{Body: 1 << 20, Requests: j.Capacity + 64, Waiting: j.Capacity + 64, PerSecond: 1_000_000}
	server, err := httpserver.Listen(ctx, httpserver.Options{Listen: "127.0.0.1:0", Limits: limits, Log: zerolog.Nop()})
	if err != nil {
		return err
	}
	project, err := newServedProject(store)
	if err != nil {
		return err
	}
	a := api.New(api.Options{Store: store, Log: zerolog.Nop(), Version: "bench", Limits: limits, Draining: server.Draining(), Project: project})
	pages, err := dashboard.New(dashboard.Options{API: a.Handler(), Quiet: a.Quiet, Log: zerolog.Nop(), Version: "bench"})
	if err != nil {
		return err
	}
	server.Serve(pages.Beside(a.Handler()))
	running, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { a.Run(running) })
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		err = errors.Join(err, server.Shutdown(ending))
		pages.Close()
		stop()
		background.Wait()
	}()
	if err := out.Encode(word{Ready: true, URL: server.URL()}); err != nil {
		return err
	}
	for {
		if _, err := lines.ReadBytes('\n'); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		used := word{CPUSeconds: usedCPU().Seconds(), PeakRSSMb: float64(peakMemory()) / (1 << 20), Statements: store.StatementsRun(), Observed: observed.Load()}
		if err := out.Encode(used); err != nil {
			return err
		}
	}
}

// usage asks a server process what it has used.
func (ch *child) usage() (word, error) {
	if err := ch.begin(); err != nil {
		return word{}, err
	}
	return ch.hear()
}
