package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"botwork/handlers"
	"botwork/internal/database"
	"botwork/internal/process"
	"botwork/workqueue/sqlstore"
)

// job is the task of a worker process: the first line of its standard input, in JSON. The
// DSN may contain a password, so it is not passed on the command line or in the
// environment.
type job struct {
	Driver   database.Driver
	DSN      string
	Name     string
	Capacity int
	Ledger   string // the file for the records of runs

	// Serve makes the worker run with schedules until its input ends, and record each run
	// immediately. Without it the worker drains the queue once.
	Serve bool

	// API makes the process serve the HTTP API and the pages instead of being a worker,
	// for Capacity robots or browsers.
	API bool

	// Mixed makes the worker run a mixed load with schedules until its input ends. Scale
	// is the scale of the load.
	Mixed bool
	Scale float64

	// Failures is the share of runs that fail. LeaseMs is the worker's lease in
	// milliseconds.
	Failures float64
	LeaseMs  int64
}

// word is a line of a worker process's standard output, in JSON.
type word struct {
	Ready bool    `json:",omitempty"` // the worker is registered
	RSSMb float64 `json:",omitempty"` // its current memory, each second while it serves

	Started bool `json:",omitempty"` // its schedules run, in a mixed load

	Done       bool    `json:",omitempty"` // the worker has finished
	CPUSeconds float64 `json:",omitempty"` // since it began its work
	PeakRSSMb  float64 `json:",omitempty"`

	URL        string `json:",omitempty"` // of the API
	Statements int64  `json:",omitempty"` // of package sql that the API has run
	Observed   int64  `json:",omitempty"` // all statements of the API, with those of lists
}

var errByChance = errors.New("failed at random, as requested by the measurement")

// Serve is a worker process of a measurement. It reads a job from in, registers, reports
// that on out, begins its work at the next line, and ends when in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	var j job
	if err := json.Unmarshal(first, &j); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	return j.do(ctx, lines, json.NewEncoder(out))
}

func (j job) do(ctx context.Context, lines *bufio.Reader, out *json.Encoder) (err error) {
	var observed atomic.Int64
	store, err := sqlstore.Open(ctx, sqlstore.Options{
		Driver: string(j.Driver), DSN: j.DSN, Observe: func(string, time.Duration, error) { observed.Add(1) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if j.API {
		return j.serveAPI(ctx, store, &observed, lines, out)
	}
	recorder, err := j.openBook()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, recorder.close()) }()
	w := worker{name: j.Name, capacity: j.Capacity, handler: recorder, files: map[string]string{}, lease: time.Duration(j.LeaseMs) * time.Millisecond}
	if j.Serve {
		w.text = flakyText
		w.files["often.yaml"] = everySecond
	}
	if j.Mixed {
		w.files[mixedPipeline+".yaml"] = mixedText(j.Scale)
	}
	proc, err := w.start(ctx, store)
	if err != nil {
		return err
	}
	if err := out.Encode(word{Ready: true}); err != nil {
		return errors.Join(err, proc.Stop(ctx))
	}
	_, err = lines.ReadBytes('\n')
	if err == nil {
		err = j.run(ctx, proc, lines, out)
	}
	return errors.Join(err, proc.Stop(context.WithoutCancel(ctx)))
}

// recorder is the handler of a worker process that records its runs.
type recorder interface {
	handlers.Handler
	close() error
}

func (j job) openBook() (recorder, error) {
	if j.Mixed {
		return openMixedLedger(j.Ledger)
	}
	l, err := openLedger(j.Ledger, !j.Serve)
	if err == nil && j.Failures > 0 {
		l.fail = func() error {
			if rand.Float64() < j.Failures {
				return errByChance
			}
			return nil
		}
	}
	return l, err
}

// run drains the queue once or serves until the input ends, and reports the usage.
func (j job) run(ctx context.Context, proc *process.Process, lines *bufio.Reader, out *json.Encoder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = lines.ReadBytes('\n') // the input, or the parent process, has ended
		cancel()
	}()
	begin := startUsage()
	var err error
	switch {
	case j.Mixed:
		err = j.serveMixed(ctx, proc, out)
	case j.Serve:
		err = j.serve(ctx, proc, out)
	default:
		err = proc.RunOnce(ctx, "ExecuteWorkQueue")
	}
	used := Sample{}
	used.usage(begin, 1000)
	return errors.Join(err, out.Encode(word{Done: true, CPUSeconds: used[CPUSecondsPer1000], PeakRSSMb: used[PeakRSSMb]}))
}

// everySecond is a pipeline that a serving worker runs beside the shipped ones: it looks
// for work each second.
const everySecond = `name: Often
trigger: {every: 1s, atStart: true, overlap: skip, scope: each-worker}
steps:
  - handler: AssignTasksToWorker
    with: {minPriority: 500, workers: available}
  - handler: ExecuteWorkItems
    with: {minPriority: 500}
`

// flakyText is noop with a resilience policy, for runs that fail at random.
const flakyText = "resilience: {limit: 100, delay: 100ms, maxDelay: 1s}\n" + noopText

// serve runs the schedules and reports the current memory each second.
func (j job) serve(ctx context.Context, proc *process.Process, out *json.Encoder) error {
	if err := proc.Start(ctx); err != nil {
		return err
	}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-second.C:
			if err := out.Encode(word{RSSMb: float64(memoryNow()) / (1 << 20)}); err != nil {
				return err
			}
		}
	}
}
