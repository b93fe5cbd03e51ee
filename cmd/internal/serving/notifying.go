package serving

import (
	"context"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/internal/notifier"
)

// StartNotifying evaluates and delivers the notifications of the settings until the returned function is
// called. by names this process in the records.
func StartNotifying(ctx context.Context, a *cli.App, plan notifier.Plan, store cli.Store, by string, log zerolog.Logger) (stop func()) {
	if plan.Empty() {
		return func() {}
	}
	n := notifier.Start(ctx, notifier.Options{Plan: plan, Store: store, By: by, Log: log, FreeSpace: a.FreeSpace})
	log.Info().Int("rules", len(plan.Rules)).Int("targets", len(plan.Targets)).Msg("notifications started")
	return n.Stop
}
