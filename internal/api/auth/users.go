package auth

import (
	"context"
	"errors"

	"botwork/workqueue/access"
)

// BadUserError is returned for a user that cannot be stored as described.
type BadUserError struct{ Err error }

func (e *BadUserError) Error() string { return e.Err.Error() }

func (e *BadUserError) Unwrap() error { return e.Err }

// CreateUser creates a user, with a password unless it is "". The errors are *BadUserError and
// those of access.UserStore.
func CreateUser(ctx context.Context, store access.UserStore, p access.UserParams, password string) (access.User, error) {
	p, err := userParams(p, password)
	if err != nil {
		return access.User{}, err
	}
	return store.CreateUser(ctx, p)
}

// UserChange is what SetUser changes; nil keeps what is.
type UserChange struct {
	Role     *access.Role
	Queues   []string // empty, but not nil: all
	Password *string
}

// SetUser changes a user, whose sessions end. The errors are *BadUserError and those of
// access.UserStore.
func SetUser(ctx context.Context, store access.UserStore, name string, change UserChange, by string) (access.User, error) {
	u, _, err := store.User(ctx, name)
	if err != nil {
		return access.User{}, err
	}
	p := access.UserParams{Name: u.Name, Role: u.Role, Queues: u.Queues, By: by}
	if change.Role != nil {
		p.Role = *change.Role
	}
	if change.Queues != nil {
		p.Queues = change.Queues
	}
	password := ""
	if change.Password != nil {
		if password = *change.Password; password == "" {
			return access.User{}, &BadUserError{CheckPassword(name, password)}
		}
	}
	if p, err = userParams(p, password); err != nil {
		return access.User{}, err
	}
	return store.ChangeUser(ctx, p)
}

// userParams checks the parameters, and hashes the password. It returns all faults at once.
func userParams(p access.UserParams, password string) (access.UserParams, error) {
	p, err := p.Normal()
	var hash string
	if password != "" {
		var wrong error
		if hash, wrong = HashPassword(p.Name, password); wrong != nil {
			err = errors.Join(err, wrong)
		}
	}
	if err != nil {
		return p, &BadUserError{err}
	}
	p.PasswordHash = hash
	return p, nil
}
