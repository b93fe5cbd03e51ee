package users

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
	"botwork/internal/api/auth"
)

func (a *command) passwordCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "password NAME",
		Short: "Set the password of a user, or change your own",
		Long: `Sets the password of a user, whose sessions end, and whose lock after failed
attempts ends. The password has 12 to 128 characters. It is read from the terminal,
where it is not shown, or with --password-stdin from standard input; it is never an
argument, because other programs can read these.

With --own you change your own password: the command asks for the present one, and
over a server it needs no token. With --password-stdin, the first line is the present
password and the second one the new one. A wrong present password is a failed attempt
to sign in. Users who sign in by OpenID Connect or by links have no password.`,
		Example: `  botwork users password ada
  botwork users password ada --password-stdin < password.txt
  botwork users password ada --own --server https://botwork.example.com`,
		Args: cli.OneArgument("the user's name"),
	}
	own := cmd.Flags().Bool("own", false, "change your own password, by the present one")
	fromStdin := passwordFlag(cmd)
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *own {
			return a.changeOwn(cmd.Context(), args[0], *fromStdin)
		}
		var password string
		var err error
		switch {
		case *fromStdin:
			password, err = a.ReadPassword()
		case a.CanPrompt():
			password, err = a.PromptPassword(cmd.Context(), "New password: ")
		default:
			err = noTerminal()
		}
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(k keeper) error {
			u, err := k.SetUser(cmd.Context(), args[0], nil, nil, &password)
			if err != nil {
				return noUser(args[0], err)
			}
			fmt.Fprintf(a.Stdout, "password of user %s set\n", u.Name)
			return nil
		})
	}
	return cmd
}

func noTerminal() error {
	return &cli.UsageError{Message: "standard input is not a terminal", Hint: "--password-stdin reads the password from it"}
}

// changeOwn changes the password of a user who knows the present one.
func (a *command) changeOwn(ctx context.Context, name string, fromStdin bool) error {
	present, password, err := a.ownPasswords(ctx, fromStdin)
	if err != nil {
		return err
	}
	if a.UsesServer() {
		err = a.WithOpenServer(func(s *remote.Server) error { return s.ChangePassword(ctx, name, present, password) })
	} else {
		err = a.WithStore(ctx, func(store cli.Store) error {
			_, err := auth.NewSignIns(store).ChangePassword(ctx, name, present, password, auth.Browser{})
			return err
		})
	}
	if err != nil {
		return wrongPassword(name, err)
	}
	fmt.Fprintf(a.Stdout, "password of user %s changed; all sessions have ended\n", name)
	return nil
}

func (a *command) ownPasswords(ctx context.Context, fromStdin bool) (present, password string, err error) {
	switch {
	case fromStdin:
		text, err := a.ReadPassword()
		if err != nil {
			return "", "", err
		}
		present, password, found := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		if !found || present == "" || password == "" || strings.Contains(password, "\n") {
			return "", "", cli.Usagef("standard input: want two lines, the present password and the new one")
		}
		return present, password, nil
	case !a.CanPrompt():
		return "", "", noTerminal()
	}
	if present, err = a.PromptPresent(ctx, "Present password: "); err != nil {
		return "", "", err
	}
	if password, err = a.PromptPassword(ctx, "New password: "); err == nil && password == "" {
		err = cli.Usagef("got no new password")
	}
	return present, password, err
}

// wrongPassword returns the error of a change that was refused.
func wrongPassword(name string, err error) error {
	wrong, local := errors.AsType[*auth.SignInError](err)
	if local && wrong.RetryAfter > 0 {
		return fmt.Errorf("change the password of user %s: the present password is wrong, or the user may not sign in; try again in %v", name, wrong.RetryAfter)
	}
	refused, remotely := errors.AsType[*remote.Error](err)
	if local || remotely && refused.Problem.Status == http.StatusForbidden && refused.Problem.Code == "wrong-password" {
		return fmt.Errorf("change the password of user %s: the present password is wrong, or the user may not sign in; users of OpenID Connect change it at the provider", name)
	}
	return usage(err)
}
