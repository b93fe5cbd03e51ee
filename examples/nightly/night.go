package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"botwork/cmd"
	"botwork/examples/internal/worker"
)

// workerNames are the names of the workers.
var workerNames = []string{"nightly-1", "nightly-2"}

// night is one run of the example: the workers, in order of their names.
type night struct {
	workers []*worker.Worker
}

// begin enqueues the jobs of the project with the command that a user would use, and
// registers the workers. Each worker has its own connections, as if it were a separate
// process.
func begin(ctx context.Context, configFile string, environ []string, log io.Writer) (*night, error) {
	n := &night{}
	for _, name := range workerNames {
		w, err := worker.New(ctx, worker.Options{Config: configFile, Environ: environ, Name: name, Log: log})
		if err != nil {
			return nil, errors.Join(err, n.end(ctx))
		}
		n.workers = append(n.workers, w)
	}
	jobs, err := os.ReadFile(filepath.Join(filepath.Dir(configFile), "jobs.ndjson"))
	if err == nil {
		var said bytes.Buffer
		args := []string{"--config", configFile, "enqueue", "--stdin"}
		if code := cmd.Run(ctx, args, bytes.NewReader(jobs), io.Discard, &said, environ); code != 0 {
			err = fmt.Errorf("enqueue the jobs: %s", said.String())
		}
	}
	if err != nil {
		return nil, errors.Join(err, n.end(ctx))
	}
	return n, nil
}

// runOnAll runs a system pipeline once on all workers at the same time.
func (n *night) runOnAll(ctx context.Context, pipeline string) error {
	errs := make([]error, len(n.workers))
	var wg sync.WaitGroup
	for i, w := range n.workers {
		wg.Go(func() { errs[i] = w.RunOnce(ctx, pipeline) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (n *night) end(ctx context.Context) error {
	var errs []error
	for _, w := range n.workers {
		errs = append(errs, w.Stop(ctx))
	}
	return errors.Join(errs...)
}
