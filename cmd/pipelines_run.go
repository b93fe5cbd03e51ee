package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"botwork/handlers/queue"
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

func (a *app) pipelinesRunCommand() *cobra.Command {
	var payload payloadFlags
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run an item's pipeline here and now, without the queue",
		Long: `Runs a pipeline as an item would, once, and prints what became of each step and
the output. There is no item: nothing is queued, recorded or tried again, and
item.id is 0. The steps do what they do, Enqueue included.

A pipeline with a trigger is started by "botwork run --once NAME".
The exit code is 1 unless the run succeeds.`,
		Example: `  botwork pipelines run hello --payload '{"name": "Ada"}'
  botwork pipelines run import --payload-file order.json --output json`,
		Args:              oneArgument("the pipeline's name"),
		ValidArgsFunction: a.completePipelines,
	}
	payload.register(cmd)
	output := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		text, err := payload.read(a.stdin)
		if err != nil {
			return err
		}
		if err := a.loadConfig(); err != nil {
			return err
		}
		if err := a.cfg.CheckSecrets(); err != nil {
			return err
		}
		view, err := a.runOnce(cmd.Context(), args[0], text)
		if err != nil {
			return err
		}
		if err := a.print(*output, view, func() { a.runSheet(view) }); err != nil {
			return err
		}
		if view.Outcome != verdicts[workqueue.Succeeded] {
			return &reportedError{exitFailed}
		}
		return nil
	}
	return cmd
}

func (a *app) runOnce(ctx context.Context, name string, payload workqueue.JSONText) (view runView, err error) {
	resources, err := a.resources()
	if err != nil {
		return view, err
	}
	defer func() { err = errors.Join(err, resources.Connections.Close()) }()

	// The services are asked for when a step runs: by then they are filled.
	var (
		store     workqueue.ItemStore
		catalogue *pipelines.Catalogue
	)
	compiler, err := a.compiler(a.newRegistry(resources, queue.Services{
		Store:         func() workqueue.ItemStore { return store },
		CheckPipeline: func(text string) error { return catalogue.CheckIntegrationConfig(text).Err() },
	}))
	if err != nil {
		return view, err
	}
	catalogue, findings, err := a.catalogue(compiler)
	if err != nil {
		return view, err
	}
	p, err := find(catalogue, findings, name)
	if err != nil {
		return view, err
	}
	if p.Trigger != nil {
		return view, &usageError{fmt.Sprintf("pipeline %q has a trigger, want one that items run", name), "`botwork run --once " + name + "` starts it"}
	}
	if err := p.CheckPayload(payload); err != nil {
		return view, usagef("%v", err)
	}
	if slices.ContainsFunc(p.Steps, func(s *pipelines.Step) bool { return s.Handler == "Enqueue" }) {
		opened, err := a.openStore(ctx)
		if err != nil {
			return view, err
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		store = opened
	}
	redactor := a.redactor()
	log, _, err := newLogger(a.stderr, a.cfg.Log, redactor)
	if err != nil {
		return view, err
	}
	engine := pipelines.NewEngine(pipelines.EngineOptions{
		Env: pipelines.Environ(), Secrets: a.secrets(), WorkerName: a.cfg.Worker.Name, Log: log, Redactor: redactor,
	})
	now := time.Now().UTC()
	result := engine.Run(ctx, p, pipelines.RunInput{Run: workqueue.NewRun(&workqueue.Item{
		QueueName: workqueue.DefaultQueue, State: workqueue.Blocked, Priority: workqueue.RequestPriority,
		IntegrationConfig: p.Name, Payload: payload, AvailableAt: now, CreatedAt: now,
	})})
	return viewRun(p, result), nil
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

func (a *app) runSheet(v runView) {
	g := newGrid("step", "status", "took", "note")
	for _, s := range v.Steps {
		g.add(s.Name, s.Status, (time.Duration(s.TookMs) * time.Millisecond).String(), s.Error)
	}
	g.writeTo(a.stdout)
	fmt.Fprintf(a.stdout, "\n%s %s", v.Pipeline, v.Outcome)
	if v.ErrorKind != "" {
		fmt.Fprintf(a.stdout, " (%s)", v.ErrorKind)
	}
	if v.Error != "" {
		fmt.Fprintf(a.stdout, ": %s", v.Error)
	}
	fmt.Fprintln(a.stdout)
	if v.Output != "" {
		fmt.Fprintln(a.stdout, "output:", string(v.Output))
	}
}
