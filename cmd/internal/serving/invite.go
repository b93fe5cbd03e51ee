package serving

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// invite lets the first user in: without a token and a user, all requests are refused. On a
// terminal it prints a sign-in link of an admin with the name of the account, who can read the
// database anyway; elsewhere, where a log may be read by others, it logs what to do. Each start
// prints a new link until the user has signed in.
func invite(ctx context.Context, store cli.Store, url string, terminal io.Writer, log zerolog.Logger) error {
	tokens, err := store.Tokens(ctx)
	if err != nil {
		return err
	}
	users, err := store.Users(ctx)
	if err != nil {
		return err
	}
	name := cli.UserName()
	waits := len(users) == 1 && isInvited(&users[0], name)
	if len(tokens) > 0 || len(users) > 0 && !waits {
		return nil
	}
	if terminal == nil {
		log.Warn().Msg("every request will be refused: no user and no token exists; create one with botwork users create or botwork tokens create")
		return nil
	}
	u, err := firstUser(ctx, store, name)
	if err != nil {
		return err
	}
	text, err := auth.NewLink(ctx, store, u.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(terminal, "\nSign in as %s (%s) with this link. It works once, within 10 minutes:\n\n  %s\n\nbotwork users link %s prints another one.\n\n",
		u.Name, u.Role, auth.LinkURL(url, text), u.Name)
	return nil
}

const invitedBy = "first start"

// isInvited reports whether a user was created by an earlier start and has not signed in.
func isInvited(u *access.User, name string) bool {
	return u.Name == name && u.CreatedBy == invitedBy && u.SignedInAt == nil && u.DisabledAt == nil
}

// firstUser creates the first user, or returns it if another process has created it meanwhile.
func firstUser(ctx context.Context, store cli.Store, name string) (access.User, error) {
	actor := workqueue.ActorFrom(ctx)
	actor.Reason = "the first start on a terminal"
	u, err := store.CreateUser(workqueue.WithActor(ctx, actor), access.UserParams{Name: name, Role: access.Admin, By: invitedBy})
	if !errors.Is(err, access.ErrNameTaken) {
		return u, err
	}
	u, _, err = store.User(ctx, name)
	if err == nil && !isInvited(&u, name) {
		err = fmt.Errorf("user %q was created meanwhile", name)
	}
	return u, err
}
