package batch

import (
	"context"
	"time"
)

// Grace is how long a page that is under way may take to its end when the
// command is interrupted.
const Grace = 5 * time.Second

// Outlive is a context that ends some time after another one.
func Outlive(ctx context.Context, grace time.Duration) (context.Context, func()) {
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
