package users

import (
	"context"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
	"botwork/cmd/internal/serving"
	"botwork/internal/api/auth"
	"botwork/workqueue/access"
)

// keeper is what the commands call: the database, or a server.
type keeper interface {
	cli.QueueReader
	Users(ctx context.Context) ([]access.User, error)
	UserNamed(ctx context.Context, name string) (access.User, error)
	NewUser(ctx context.Context, p access.UserParams, password string) (access.User, error)
	SetUser(ctx context.Context, name string, role *access.Role, queues []string, password *string) (access.User, error)
	SignInLink(ctx context.Context, u *access.User) (address string, err error)
	SignOut(ctx context.Context, u *access.User) (ended int, err error)
	DisableUser(ctx context.Context, name string, disabled bool, by string) (changed bool, err error)
	Now(ctx context.Context) (time.Time, error)
}

// with calls do with the server of the flags, or with the database.
func (a *command) with(ctx context.Context, do func(keeper) error) error {
	return a.withStore(ctx, a.WithStore, do)
}

// withReadOnly is with for commands that change nothing.
func (a *command) withReadOnly(ctx context.Context, do func(keeper) error) error {
	return a.withStore(ctx, a.WithReadOnlyStore, do)
}

func (a *command) withStore(ctx context.Context, with func(context.Context, func(cli.Store) error) error, do func(keeper) error) error {
	if a.UsesServer() {
		return a.WithServer(func(s *remote.Server) error { return do(s) })
	}
	return with(ctx, func(store cli.Store) error { return do(local{store, a.App}) })
}

// local is the database.
type local struct {
	cli.Store

	app *cli.App
}

func (l local) UserNamed(ctx context.Context, name string) (access.User, error) {
	u, _, err := l.User(ctx, name)
	return u, err
}

func (l local) NewUser(ctx context.Context, p access.UserParams, password string) (access.User, error) {
	return auth.CreateUser(ctx, l.Store, p, password)
}

func (l local) SetUser(ctx context.Context, name string, role *access.Role, queues []string, password *string) (access.User, error) {
	return auth.SetUser(ctx, l.Store, name, auth.UserChange{Role: role, Queues: queues, Password: password}, cli.UserName())
}

func (l local) SignInLink(ctx context.Context, u *access.User) (string, error) {
	text, err := auth.NewLink(ctx, l.Store, u.ID)
	return auth.LinkURL(serving.URL(l.app.Config.HTTP), text), err
}

func (l local) SignOut(ctx context.Context, u *access.User) (int, error) {
	return l.EndSessions(ctx, u.ID)
}
