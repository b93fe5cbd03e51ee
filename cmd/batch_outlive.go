package cmd

import (
	"context"
	"time"
)

// pageGrace is how long a page that is under way may take to its end when the
// command is interrupted.
const pageGrace = 5 * time.Second

// outlive is a context that ends some time after another one.
func outlive(ctx context.Context, grace time.Duration) (context.Context, func()) {
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
