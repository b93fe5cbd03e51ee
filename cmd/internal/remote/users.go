package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"botwork/client"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// Users lists the users by name.
func (s *Server) Users(ctx context.Context) ([]access.User, error) {
	return all[access.User](ctx, s, "users")
}

// UserNamed returns the user of this name, in any case. The error is workqueue.ErrNotFound if there is
// none.
func (s *Server) UserNamed(ctx context.Context, name string) (access.User, error) {
	users, err := s.Users(ctx)
	if err != nil {
		return access.User{}, err
	}
	for i := range users {
		if strings.EqualFold(users[i].Name, name) {
			return users[i], nil
		}
	}
	return access.User{}, workqueue.ErrNotFound
}

// NewUser creates a user, with a password unless it is "". The error is access.ErrNameTaken for a name
// that another user has. The creator is the token of this command, whatever p says.
func (s *Server) NewUser(ctx context.Context, p access.UserParams, password string) (u access.User, err error) {
	err = s.api.Post(ctx, "/users", struct {
		Name     string      `json:"name"`
		Role     access.Role `json:"role"`
		Queues   []string    `json:"queues,omitempty"`
		Password string      `json:"password,omitempty"`
		Reason   string      `json:"reason,omitempty"`
	}{p.Name, p.Role, p.Queues, password, reason(ctx, "")}, &u)
	if taken, ok := errors.AsType[*client.Problem](err); ok && taken.Status == http.StatusConflict {
		return u, fmt.Errorf("%w: %w", access.ErrNameTaken, s.failed(err))
	}
	return u, s.failed(err)
}

// SetUser changes a user, whose sessions end. Nil keeps what is; no queues, but not nil, are all.
func (s *Server) SetUser(ctx context.Context, name string, role *access.Role, queues []string, password *string) (u access.User, err error) {
	body := struct {
		Role     *access.Role `json:"role,omitempty"`
		Queues   *[]string    `json:"queues,omitempty"`
		Password *string      `json:"password,omitempty"`
		Reason   string       `json:"reason,omitempty"`
	}{role, nil, password, reason(ctx, "")}
	if queues != nil {
		body.Queues = &queues
	}
	err = s.api.Patch(ctx, escaped([]string{"users", name}), body, &u)
	return u, s.failed(err)
}

// ChangePassword replaces the password of a user who knows the present one. It needs no token. The request is
// sent once: after a change, a repeat would be a failed attempt to sign in.
func (s *Server) ChangePassword(ctx context.Context, name, present, password string) error {
	body := struct {
		Name     string `json:"name"`
		Present  string `json:"present"`
		Password string `json:"password"`
	}{name, present, password}
	return s.failed(s.patient.Post(ctx, "/auth/password", body, nil))
}

// SignInLink creates a sign-in link of a user, which works once.
func (s *Server) SignInLink(ctx context.Context, u *access.User) (address string, err error) {
	var answer struct {
		URL string `json:"url"`
	}
	err = s.api.Post(ctx, userPath(u.Name, "link"), because(ctx), &answer)
	return answer.URL, s.failed(err)
}

// SignOut ends all sessions of a user.
func (s *Server) SignOut(ctx context.Context, u *access.User) (ended int, err error) {
	var answer struct {
		Ended int `json:"ended"`
	}
	err = s.api.Post(ctx, userPath(u.Name, "sign-out"), because(ctx), &answer)
	return answer.Ended, s.failed(err)
}

// DisableUser locks a user out, or lets the user in again.
func (s *Server) DisableUser(ctx context.Context, name string, disabled bool, _ string) (changed bool, err error) {
	verb := "enable"
	if disabled {
		verb = "disable"
	}
	var answer struct {
		Changed bool `json:"changed"`
	}
	err = s.api.Post(ctx, userPath(name, verb), because(ctx), &answer)
	return answer.Changed, s.failed(err)
}

func userPath(name, verb string) string { return "/users/" + url.PathEscape(name) + "/" + verb }

// reasonBody is the body of a request that has nothing but a reason.
type reasonBody struct {
	Reason string `json:"reason,omitempty"`
}

func because(ctx context.Context) reasonBody { return reasonBody{reason(ctx, "")} }
