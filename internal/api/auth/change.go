package auth

import (
	"context"
	"errors"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// ChangePassword replaces the password of a user who knows the present one. The sessions and the sign-in links
// of the user end: see Renew. A wrong present password is a failed attempt to sign in. The errors are
// *BadUserError and those of Password.
func (s *SignIns) ChangePassword(ctx context.Context, name, present, password string, from Browser) (access.User, error) {
	if err := CheckPassword(name, password); err != nil {
		return access.User{}, &BadUserError{err}
	}
	u, err := s.Check(ctx, name, present, from)
	if err != nil {
		return access.User{}, err
	}
	if normal(present) == normal(password) {
		return access.User{}, &BadUserError{&BadPasswordError{"got the present password, want a new one"}}
	}
	end, err := s.passwords.begin(ctx) // a hash takes as much memory as a check
	if err != nil {
		return access.User{}, err
	}
	hash, err := HashPassword(u.Name, password)
	end()
	if err != nil {
		return access.User{}, &BadUserError{err}
	}
	u, err = s.store.ChangePassword(ctx, access.PasswordChange{UserID: u.ID, Present: u.PasswordHash, Hash: hash})
	if errors.Is(err, access.ErrPasswordChanged) || errors.Is(err, workqueue.ErrNotFound) {
		err = &SignInError{}
	}
	return u, err
}

// Renew starts a session of a user whose sessions have just ended by the user's change.
func (s *SignIns) Renew(ctx context.Context, u *access.User, from Browser) (access.Session, string, error) {
	return s.start(ctx, u, u.PasswordHash, ByPassword, from)
}
