package batch

import (
	"context"
	"time"
)

// Grace is how long the current page may still take after the command is interrupted.
const Grace = 5 * time.Second

// WithGrace returns a context that ends some time after ctx.
func WithGrace(ctx context.Context, grace time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-longer.Done():
		case <-time.After(grace):
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}
