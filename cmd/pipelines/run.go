package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/payload"
	"botwork/cmd/internal/projectdir"
	"botwork/handlers/queue"
	"botwork/internal/author/checker"
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
	Steps     []runStepView      `json:"steps"`
	Output    workqueue.JSONText `json:"output"`
}

type runStepView struct {
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
	)
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run an item's pipeline now, without the queue, or show what it would do",
		Long: `Runs a pipeline as an item would, once, and prints what became of each step and
the output. There is no item: nothing is queued, recorded or retried, and item.id
is 0. The steps have their real effects, Enqueue included.

With --until the run ends after a step. With --from it begins with one: those
before it count as done, with the outputs that --with-output gives. An output
that a step needs and that is not given is an error.

With --dry-run nothing runs: no handler is called, no database or file is opened.
It prints each step with its parameters, secrets as <secret>, whether it would be
called or skipped and why, and its timeout and retry. What depends on the output
of a step that has not run is unknown, with that step's name; everything else is
checked as a run would check it. System pipelines can be looked at as well.

Ctrl-C (or SIGTERM) cancels the run. A step that has not stopped ten seconds later is
given up.

A pipeline with a trigger is started by "botwork run --once NAME".
The exit code is 1 unless the run succeeds; with --dry-run it is 1 when the run
would fail for certain.`,
		Example: `  botwork pipelines run hello --payload '{"name": "Ada"}'
  botwork pipelines run import --payload-file order.json --output json
  botwork pipelines run hello --payload '{"name": "Ada"}' --dry-run
  botwork pipelines run hello --payload '{"name": "Ada"}' --until greet
  botwork pipelines run hello --from save --with-output 'greet="Hello Ada"' --dry-run`,
		Args:              cli.OneArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	payload.Register(cmd)
	partial.register(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print what would be done, and do nothing")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
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

func (a *command) runOnce(ctx context.Context, name string, payload workqueue.JSONText, part *pipelines.Part) (view runView, err error) {
	resources, err := a.Resources()
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, resources.Connections.Close()) }()

	// The services are asked for when a step runs: by then they are filled.
	var (
		store     workqueue.ItemStore
		catalogue *pipelines.Catalogue
	)
	judge, err := checker.New(&a.Config, a.NewRegistry(resources, queue.Services{
		Store:         func() queue.Enqueuer { return store },
		CheckPipeline: func(text string) error { return catalogue.CheckItem(text) },
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
		return view, &cli.UsageError{Message: fmt.Sprintf("pipeline %q has a trigger, want one that items run", name), Hint: "`botwork run --once " + name + "` starts it"}
	}
	if err := p.CheckPayload(payload); err != nil {
		return view, cli.Usagef("%v", err)
	}
	if err := checkPart(p, part, true); err != nil {
		return view, err
	}
	if slices.ContainsFunc(p.Steps, func(s *pipelines.Step) bool { return s.Handler == "Enqueue" }) {
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
		Env: pipelines.Environ(), SecretEnv: a.Config.SecretVariables(), Secrets: a.Secrets(), WorkerName: a.Config.Worker.Name, Log: log, Redactor: redactor,
	})
	ended := make(chan pipelines.Result, 1)
	go func() { ended <- engine.Run(ctx, p, pipelines.RunInput{Run: standInItem(p, payload), Part: part}) }()
	select {
	case result := <-ended:
		return viewRun(p, result), nil
	case <-ctx.Done():
	}
	select {
	case result := <-ended:
		return viewRun(p, result), nil
	case <-time.After(stopWithin):
		return view, fmt.Errorf("interrupted: a step has not stopped within %v; its handler ignores that it was cancelled", stopWithin)
	}
}

// stopWithin is how long a cancelled step may take to stop, like that of a worker
// until its slot counts as stuck.
const stopWithin = 10 * time.Second

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

// checkPart says what is wrong with --from, --until and --with-output.
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
		Steps: []runStepView{}, Output: r.Output,
	}
	for _, s := range r.Steps {
		v.Steps = append(v.Steps, runStepView{Name: s.Name, Status: string(s.Status), TookMs: s.Took.Milliseconds(), Error: s.Error})
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
