package auth

import (
	"context"

	"botwork/workqueue/access"
)

// CreateToken creates a token and returns its text, which is stored nowhere. The text and the
// hash in p are set by it.
func CreateToken(ctx context.Context, store access.TokenStore, p access.NewTokenParams) (token access.Token, text string, err error) {
	text = access.NewToken()
	p.Start, p.Hash = access.ShownStart(text), access.Hash(text)
	if p, err = p.Normal(); err != nil {
		return access.Token{}, "", &BadTokenError{err}
	}
	token, err = store.CreateToken(ctx, p)
	if err != nil {
		return access.Token{}, "", err
	}
	return token, text, nil
}

// BadTokenError is returned for a token that cannot be created as described.
type BadTokenError struct{ Err error }

func (e *BadTokenError) Error() string { return e.Err.Error() }

func (e *BadTokenError) Unwrap() error { return e.Err }
