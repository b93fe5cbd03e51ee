package auth

import (
	"context"

	"botwork/workqueue/access"
)

type principalKey struct{}

// With returns a context of a request that this caller sends.
func With(ctx context.Context, p *access.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the caller of a request; nil outside of a request that was let in.
func From(ctx context.Context) *access.Principal {
	p, _ := ctx.Value(principalKey{}).(*access.Principal)
	return p
}
