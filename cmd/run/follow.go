package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/process"
	"botwork/internal/reload"
	"botwork/workqueue"
)

// follow reloads changed files in the pipelines folder until the returned function is called.
func (a *Worker) follow(ctx context.Context, p *programme, proc *process.Process) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		reload.Follow(ctx, reload.Options{
			Dir: a.Config.Pipelines.Dir, Current: p.catalogue, Findings: p.findings, Adopt: proc.ReplacePipelines, Log: p.log,
			Judge:        p.judgeFiles,
			OnErrorCount: func(mistakes int) { a.Supervisor.Status(workingAs(proc.Worker().Name, mistakes)) },
		})
	})
	following.Go(func() { keepTexts(ctx, p, proc) })
	return func() {
		cancel()
		following.Wait()
	}
}

// workingAs returns the status of a worker for the supervisor.
func workingAs(worker string, mistakes int) string {
	if mistakes == 0 {
		return "working as " + worker
	}
	return fmt.Sprintf("working as %s; pipelines have %s, and files with errors are not used", worker, cli.Count(mistakes, "error"))
}

// keepTexts periodically records which pipeline versions this worker has loaded, so that
// CleanUp keeps them.
func keepTexts(ctx context.Context, p *programme, proc *process.Process) {
	ticker := time.NewTicker(workqueue.TextUse)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := proc.KeepTexts(ctx); err != nil && ctx.Err() == nil {
				p.log.Warn().Err(err).Msg("could not record loaded pipelines; retrying in 12h")
			}
		}
	}
}
