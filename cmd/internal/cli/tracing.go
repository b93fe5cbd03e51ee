package cli

import (
	"context"

	"github.com/rs/zerolog"

	"botwork/config"
	"botwork/internal/tracing/otlp"
)

// StartTracing returns a context whose spans go to the collector of the settings, until stop is
// called. Without a collector it returns ctx.
func (a *App) StartTracing(ctx context.Context, version string, log zerolog.Logger) (traced context.Context, stop func()) {
	t := a.Config.Tracing
	if t.OTLP.Endpoint == "" {
		return ctx, func() {}
	}
	sample := 1.0
	if t.Sample > 0 {
		sample = float64(t.Sample) / 100
	}
	e, err := otlp.Start(ctx, otlp.Options{
		URL: t.OTLP.URL(), Headers: config.HeaderValues(t.OTLP.Headers), Sample: sample,
		Worker: a.Config.Worker.Name, Version: version, Log: log,
	})
	if err != nil {
		log.Warn().Err(err).Msg("nothing is traced; the worker runs without traces")
		return ctx, func() {}
	}
	return e.Context(ctx), func() { e.Stop(ctx) }
}
