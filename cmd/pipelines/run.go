package pipelines

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/payload"
	"botwork/cmd/internal/projectdir"
	"botwork/handlers/queue"
	"botwork/internal/author/checker"
	"botwork/internal/author/strictyaml"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
)

// runView is what `pipelines run --output json` prints.
type runView struct {
	Pipeline  string             `json:"pipeline"`
	Outcome   string             `json:"outcome"` // succeeded, failed, snoozed, released
	Step      string             `json:"step,omitempty"`
	Error     string             `json:"error,omitempty"`
	ErrorKind string             `json:"errorKind,omitempty"`
	Steps     []RunStepView      `json:"steps"`
	Output    workqueue.JSONText `json:"output"`
}

// RunStepView is a step in the JSON output of `pipelines run`.
type RunStepView struct {
	Name   string `json:"name"`
	Status string `json:"status"` // done, skipped, broke, failed
	TookMs int64  `json:"tookMs"`
	Error  string `json:"error,omitempty"`
}

var verdicts = map[workqueue.Verdict]string{
	workqueue.Succeeded: "succeeded", workqueue.Failed: "failed", workqueue.Snoozed: "snoozed", workqueue.Released: "released", workqueue.Dropped: "dropped",
}

func (a *command) pipelinesRunCommand() *cobra.Command {
	var (
		payload payload.Flags
		partial partFlags
		dry     bool
		wait    bool
	)
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Start a system pipeline on a worker now, or run an item's pipeline here",
		Long: `For a pipeline with a trigger: asks the workers to run it now. One of those that have
it starts it, within seconds if no run of it is active; the run is recorded with who
asked for it. The command returns when the run has started; with --wait when it has
ended, with exit code 1 if it failed. A paused pipeline is not started. If no worker
has started it within a minute, the request expires. It can be called from any
machine that reaches the database. "botwork run --once NAME" runs it in a process of
its own instead.

For a pipeline of items: runs it once in this process, like an item would, and prints
the outcome of each step and the output. There is no item: nothing is queued, recorded
or retried, and item.id is 0. The steps have their real effects, including Enqueue.

With --until the run ends after a step. With --from it starts at a step: earlier
steps count as done, with the outputs from --with-output. A missing output that a
step needs is an error.

With --dry-run nothing runs: no handler is called, no database or file is opened. It
prints each step with its parameters (secrets as <secret>), whether it would be
called or skipped and why, and its timeout and retry. A value that depends on the
output of a step that has not run is shown as unknown, with that step's name;
everything else is checked as in a real run. This works for system pipelines too.

Ctrl-C (or SIGTERM) cancels the run. A step that has not stopped ten seconds later
is abandoned.

The exit code is 1 unless the run succeeds; with --dry-run it is 1 if the run would
certainly fail.`,
		Example: `  botwork pipelines run nightly
  botwork pipelines run nightly --wait
  botwork pipelines run hello --payload '{"name": "Ada"}'
  botwork pipelines run import --payload-file order.json --output json
  botwork pipelines run hello --payload '{"name": "Ada"}' --dry-run
  botwork pipelines run hello --payload '{"name": "Ada"}' --until greet
  botwork pipelines run hello --from save --with-output 'greet="Hello Ada"' --dry-run`,
		Args:              cli.OneArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	payload.Register(cmd)
	partial.register(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print what would be done, without doing it")
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the end of a system pipeline's run")
	cli.ReasonFlag(cmd)
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if dry && a.UsesServer() {
			return cli.Usagef("--dry-run reads the pipelines of this machine, and does not work over a server")
		}
		if !dry {
			system, err := a.runsOnWorkers(args[0])
			if err != nil {
				return err
			}
			if system {
				if err := onlyForItems(cmd); err != nil {
					return err
				}
				return a.requestRun(cmd.Context(), args[0], wait, *output)
			}
		}
		if wait {
			return cli.Usagef("--wait is only for a pipeline with a trigger; others run in this process to their end")
		}
		text, err := payload.Read(a.Stdin, nil)
		if err != nil {
			return err
		}
		part, err := partial.part()
		if err != nil {
			return err
		}
		if dry {
			return a.printDryRun(args[0], text, part, *output)
		}
		if err := a.LoadConfig(); err != nil {
			return err
		}
		if err := a.Config.CheckSecrets(); err != nil {
			return err
		}
		view, err := a.runOnce(cmd.Context(), args[0], text, part)
		if err != nil {
			return err
		}
		if err := a.Print(*output, view, func() { a.runSheet(view) }); err != nil {
			return err
		}
		if view.Outcome != verdicts[workqueue.Succeeded] {
			return &cli.ReportedError{Code: cli.ExitFailed}
		}
		return nil
	}
	return cmd
}

// runsOnWorkers reports whether workers run the pipeline: it has a trigger, or only other machines
// have it.
func (a *command) runsOnWorkers(name string) (bool, error) {
	if a.UsesServer() {
		return true, nil // the server refuses others
	}
	catalogue, findings, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return false, err
	}
	if p, ok := catalogue.Get(name); ok {
		return p.Trigger != nil, nil
	}
	var names []string
	for _, p := range catalogue.All() {
		names = append(names, p.Name)
	}
	_, err = projectdir.Find(catalogue, findings, name)
	if _, unknown := errors.AsType[*cli.UsageError](err); unknown && strictyaml.Suggest(name, names) == "" {
		return true, nil // other machines may have it
	}
	return false, err // its file has errors, or its name is misspelt
}

// onlyForItems returns an error if a flag was given that applies to pipelines of items.
func onlyForItems(cmd *cobra.Command) error {
	for _, name := range []string{"payload", "payload-file", "from", "until", "with-output"} {
		if cmd.Flags().Changed(name) {
			return &cli.UsageError{Message: "--" + name + " is only for pipelines of items; this one has a trigger, or is not in the folder", Hint: "without it, a worker runs the whole pipeline"}
		}
	}
	return nil
}

func (a *command) runOnce(ctx context.Context, name string, payload workqueue.JSONText, part *pipelines.Part) (view runView, err error) {
	resources, err := a.Resources()
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, resources.Connections.Close()) }()

	// The services are used only when a step runs; they are set by then.
	var (
		store     workqueue.ItemStore
		catalogue *pipelines.Catalogue
	)
	judge, err := checker.New(&a.Config, a.NewRegistry(resources, queue.Services{
		Store:         func() queue.Enqueuer { return store },
		CheckPipeline: func(text string) error { return catalogue.CheckItem(text) },
		CheckPayload: func(text string, payload workqueue.JSONText) error {
			return catalogue.CheckItemPayload(text, payload)
		},
	}))
	if err != nil {
		return view, err
	}
	catalogue, findings, err := projectdir.Catalogue(a.App, judge)
	if err != nil {
		return view, err
	}
	p, err := projectdir.Find(catalogue, findings, name)
	if err != nil {
		return view, err
	}
	if p.Trigger != nil {
		return view, cli.Usagef("pipeline %q has a trigger, want a pipeline for items", name)
	}
	if err := p.CheckPayload(payload); err != nil {
		return view, cli.Usagef("%v", err)
	}
	if err := checkPart(p, part, true); err != nil {
		return view, err
	}
	if enqueues(p) {
		opened, err := a.OpenStore(ctx)
		if err != nil {
			return view, err
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		store = opened
	}
	redactor := a.Redactor()
	log, _, err := cli.NewLogger(a.Stderr, a.Config.Log, redactor)
	if err != nil {
		return view, err
	}
	engine := pipelines.NewEngine(pipelines.EngineOptions{
		Env: pipelines.Environ(), SecretEnv: a.Config.SecretVariables(), Secrets: a.Secrets(), Values: a.Values(), WorkerName: a.Config.Worker.Name, Log: log, Redactor: redactor,
	})
	ended := make(chan pipelines.Result, 1)
	go func() {
		ended <- engine.Run(ctx, p, pipelines.RunInput{Run: operations.StandInItem(p, payload), Part: part})
	}()
	select {
	case result := <-ended:
		return viewRun(p, result), nil
	case <-ctx.Done():
	}
	select {
	case result := <-ended:
		return viewRun(p, result), nil
	case <-time.After(StopWithin):
		return view, fmt.Errorf("interrupted: a step has not stopped within %v; its handler ignores the cancellation", StopWithin)
	}
}

// StopWithin is how long a cancelled step may take to stop. A worker uses the same time before
// a slot counts as stuck.
const StopWithin = 10 * time.Second

// printDryRun prints what a run would do.
func (a *command) printDryRun(name string, payload workqueue.JSONText, part *pipelines.Part, output cli.Format) error {
	catalogue, findings, err := projectdir.LoadCatalogue(a.App)
	if err != nil {
		return err
	}
	p, err := projectdir.Find(catalogue, findings, name)
	if err != nil {
		return err
	}
	if err := checkPart(p, part, false); err != nil {
		return err
	}
	view := a.dryRun(p, payload, part)
	var wrong error
	if err := a.Print(output, view, func() { wrong = a.drySheet(view) }); err != nil || wrong != nil {
		return errors.Join(err, wrong)
	}
	if view.Outcome == string(pipelines.DryFails) {
		return &cli.ReportedError{Code: cli.ExitFailed}
	}
	return nil
}

// checkPart returns the errors in --from, --until and --with-output.
func checkPart(p *pipelines.Pipeline, part *pipelines.Part, complete bool) error {
	err := p.CheckPart(part, complete)
	if wrong, ok := errors.AsType[*pipelines.PartError](err); ok {
		hint := wrong.Hint
		if complete && wrong.MissingOutput {
			hint = "give it with --with-output STEP=JSON, null if there is none"
		}
		return &cli.UsageError{Message: wrong.Message, Hint: hint}
	}
	return err
}

func viewRun(p *pipelines.Pipeline, r pipelines.Result) runView {
	v := runView{
		Pipeline: p.Name, Outcome: verdicts[r.Verdict], Step: r.Step, Error: r.Error, ErrorKind: string(r.Kind),
		Steps: []RunStepView{}, Output: r.Output,
	}
	for _, s := range r.Steps {
		v.Steps = append(v.Steps, RunStepView{Name: s.Name, Status: string(s.Status), TookMs: s.Took.Milliseconds(), Error: s.Error})
	}
	return v
}

func (a *command) runSheet(v runView) {
	g := cli.NewGrid("step", "status", "took", "note")
	for _, s := range v.Steps {
		g.Add(s.Name, s.Status, (time.Duration(s.TookMs) * time.Millisecond).String(), s.Error)
	}
	g.Print(a.Stdout)
	fmt.Fprintf(a.Stdout, "\n%s %s", v.Pipeline, v.Outcome)
	if v.ErrorKind != "" {
		fmt.Fprintf(a.Stdout, " (%s)", v.ErrorKind)
	}
	if v.Error != "" {
		fmt.Fprintf(a.Stdout, ": %s", v.Error)
	}
	fmt.Fprintln(a.Stdout)
	if v.Output != "" {
		fmt.Fprintln(a.Stdout, "output:", string(v.Output))
	}
}

// enqueues reports whether a step of the pipeline or of a called pipeline enqueues items.
func enqueues(p *pipelines.Pipeline) bool {
	for _, s := range p.Walk() {
		if s.Handler == "Enqueue" {
			return true
		}
	}
	return false
}
