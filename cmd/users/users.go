// Package users is the command `botwork users`.
package users

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// command is one call of `botwork users`.
type command struct{ *cli.App }

// Command returns `botwork users`.
func Command(a *cli.App) *cobra.Command {
	c := &command{a}
	return cli.Group(&cobra.Command{
		Use: "users", Aliases: []string{"user"}, Short: "Create, list and change the users who sign in",
		Long: `Creates, lists and changes the users who sign in to the HTTP API and its pages. A
user has one role:

  viewer    reads everything but secrets
  operator  also enqueues and changes items, pauses and drains
  editor    also changes pipelines, queues and the settings of workers
  admin     also manages tokens and users

Programs and robots use tokens instead: see botwork tokens.`,
	}, cli.OverServer(c.createCommand()), cli.OverServer(c.listCommand()), cli.OverServer(c.setCommand()), cli.OverServer(c.passwordCommand()),
		cli.OverServer(c.linkCommand()), cli.OverServer(c.signOutCommand()), cli.OverServer(c.disableCommand()), cli.OverServer(c.enableCommand()))
}

const passwordStdin = "password-stdin"

func passwordFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool(passwordStdin, false, "read the password from standard input instead of a prompt")
}

func (a *command) createCommand() *cobra.Command {
	var (
		role   string
		queues []string
	)
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a user",
		Long: `Creates a user. On a terminal it asks for the password, which has 12 to 128
characters; an empty answer creates the user without one, and elsewhere so does the
lack of --password-stdin. Such a user signs in by a link: see botwork users link.`,
		Example: `  botwork users create ada --role admin
  botwork users create bob --role operator --queue invoices --password-stdin < password.txt`,
		Args: cli.OneArgument("the user's name"),
	}
	cmd.Flags().StringVar(&role, "role", "", "the `ROLE`: viewer, operator, editor or admin")
	cmd.Flags().StringSliceVar(&queues, "queue", nil, "bind the user to this queue, `NAME`; may be repeated")
	fromStdin := passwordFlag(cmd)
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p := access.UserParams{Name: args[0], Queues: queues, By: cli.UserName()}
		var err error
		if p.Role, err = parseRole(role); err != nil {
			return err
		}
		if _, err := p.Normal(); err != nil {
			return &cli.UsageError{Message: err.Error()}
		}
		password := ""
		if *fromStdin {
			password, err = a.ReadPassword()
		} else if a.CanPrompt() {
			password, err = a.PromptPassword(cmd.Context(), "Password (empty for none): ")
		}
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(k keeper) error { return a.create(cmd.Context(), k, p, password) })
	}
	return cmd
}

func parseRole(text string) (access.Role, error) {
	if text == "" {
		return "", &cli.UsageError{Message: "--role: got none, want viewer, operator, editor or admin", Hint: "`botwork users --help` says what each may do"}
	}
	role, err := access.ParseRole(text)
	if err != nil || role == access.Robot {
		return "", &cli.UsageError{Message: fmt.Sprintf("--role: got %q, want viewer, operator, editor or admin", text), Hint: "robots use tokens: `botwork tokens create`"}
	}
	return role, nil
}

func (a *command) create(ctx context.Context, k keeper, p access.UserParams, password string) error {
	for _, queue := range p.Queues {
		if err := cli.CheckQueue(ctx, k, queue); err != nil {
			return err
		}
	}
	u, err := k.NewUser(ctx, p, password)
	if errors.Is(err, access.ErrNameTaken) {
		return &cli.UsageError{Message: fmt.Sprintf("there is a user %q already", p.Name), Hint: "`botwork users set` changes the role, `botwork users password` the password"}
	}
	if err != nil {
		return usage(err)
	}
	fmt.Fprintf(a.Stdout, "user %s created as %s\n", u.Name, u.Role)
	if password == "" {
		fmt.Fprintf(a.Stderr, "botwork: the user has no password; `botwork users link %s` prints a sign-in link\n", u.Name)
	}
	return nil
}

// usage makes a usage error of a user that cannot be stored as described.
func usage(err error) error {
	if bad, ok := errors.AsType[*auth.BadUserError](err); ok {
		return &cli.UsageError{Message: bad.Error()}
	}
	if refused, ok := errors.AsType[*remote.Error](err); ok && refused.Problem.Status == http.StatusUnprocessableEntity {
		return &cli.UsageError{Message: refused.Error()}
	}
	return err
}

// noUser returns the error of a user that does not exist.
func noUser(name string, err error) error {
	if errors.Is(err, workqueue.ErrNotFound) {
		return &cli.UsageError{Message: fmt.Sprintf("there is no user %q", name), Hint: "`botwork users list` lists them"}
	}
	return usage(err)
}

func (a *command) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the users",
		Long:    `Lists the users by name.`,
		Example: "  botwork users list\n  botwork users list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.withReadOnly(cmd.Context(), func(k keeper) error {
			users, err := k.Users(cmd.Context())
			if err != nil {
				return err
			}
			now, err := k.Now(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, users, func() { a.table(users, now) })
		})
	}
	return cmd
}

func (a *command) table(users []access.User, now time.Time) {
	if len(users) == 0 {
		fmt.Fprintln(a.Stdout, "no users")
		return
	}
	g := cli.NewGrid("name", "role", "queues", "status", "signs in by", "signed in", "created by").DropWhenNarrow("created by", "signed in")
	for i := range users {
		u := &users[i]
		g.Add(u.Name, string(u.Role), cli.OrNone(strings.Join(u.Queues, ", ")), status(u, now), signsInBy(u), a.Instant(u.SignedInAt), u.CreatedBy)
	}
	g.Print(a.Stdout)
}

func status(u *access.User, now time.Time) string {
	switch {
	case u.DisabledAt != nil:
		return "disabled"
	case u.LockedUntil != nil && now.Before(*u.LockedUntil):
		return "locked"
	default:
		return "enabled"
	}
}

func signsInBy(u *access.User) string {
	switch {
	case u.Subject != "":
		return "OpenID Connect"
	case u.HasPassword:
		return "password"
	default:
		return "link"
	}
}

func (a *command) setCommand() *cobra.Command {
	var (
		role      string
		queues    []string
		allQueues bool
	)
	cmd := &cobra.Command{
		Use:   "set NAME",
		Short: "Change the role or the queues of a user",
		Long: `Changes the role or the queues of a user, whose sessions end. Flags that are not
given change nothing.`,
		Example: `  botwork users set bob --role editor
  botwork users set bob --queue invoices --queue forms
  botwork users set bob --all-queues --reason "new team"`,
		Args: cli.OneArgument("the user's name"),
	}
	cmd.Flags().StringVar(&role, "role", "", "the `ROLE`: viewer, operator, editor or admin")
	cmd.Flags().StringSliceVar(&queues, "queue", nil, "bind the user to this queue instead of others, `NAME`; may be repeated")
	cmd.Flags().BoolVar(&allQueues, "all-queues", false, "bind the user to no queue")
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if allQueues && len(queues) > 0 {
			return cli.Usagef("--all-queues and --queue exclude each other")
		}
		var newRole *access.Role
		if cmd.Flags().Changed("role") {
			r, err := parseRole(role)
			if err != nil {
				return err
			}
			newRole = &r
		}
		var newQueues []string // nil: no change
		if allQueues {
			newQueues = []string{}
		} else if len(queues) > 0 {
			newQueues = queues
		}
		if newRole == nil && newQueues == nil {
			return cli.Usagef("got nothing to change, want --role, --queue or --all-queues")
		}
		return a.with(cmd.Context(), func(k keeper) error {
			for _, queue := range queues {
				if err := cli.CheckQueue(cmd.Context(), k, queue); err != nil {
					return err
				}
			}
			u, err := k.SetUser(cmd.Context(), args[0], newRole, newQueues, nil)
			if err != nil {
				return noUser(args[0], err)
			}
			fmt.Fprintf(a.Stdout, "user %s is %s for %s\n", u.Name, u.Role, scopeOf(&u))
			return nil
		})
	}
	return cmd
}

func scopeOf(u *access.User) string {
	if len(u.Queues) == 0 {
		return "all queues"
	}
	return strings.Join(u.Queues, ", ")
}

func (a *command) linkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "link NAME",
		Short: "Print a one-time sign-in link of a user",
		Long: `Prints a link with which the user signs in without a password. It works once, within
10 minutes. Who has the link is signed in as the user, so send it over a channel that
only the user reads.

The link begins with http.publicUrl, or else with the address of http.listen; over a
server, with those of the server.`,
		Example: "  botwork users link ada",
		Args:    cli.OneArgument("the user's name"),
	}
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(k keeper) error {
			u, err := k.UserNamed(cmd.Context(), args[0])
			if err != nil {
				return noUser(args[0], err)
			}
			address, err := k.SignInLink(cmd.Context(), &u)
			if errors.Is(err, workqueue.ErrNotFound) {
				return &cli.UsageError{Message: fmt.Sprintf("user %s is disabled", u.Name), Hint: "`botwork users enable` lets the user in again"}
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Stdout, address)
			fmt.Fprintf(a.Stderr, "botwork: signs in as %s (%s), once, within %v\n", u.Name, u.Role, auth.LinkValid)
			return nil
		})
	}
	return cmd
}

func (a *command) signOutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sign-out NAME",
		Short:   "End all sessions of a user",
		Long:    `Ends all sessions of a user. Servers refuse them within two seconds.`,
		Example: "  botwork users sign-out ada",
		Args:    cli.OneArgument("the user's name"),
	}
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(k keeper) error {
			u, err := k.UserNamed(cmd.Context(), args[0])
			if err != nil {
				return noUser(args[0], err)
			}
			ended, err := k.SignOut(cmd.Context(), &u)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s of user %s ended\n", cli.Count(ended, "session"), u.Name)
			return nil
		})
	}
	return cmd
}

func (a *command) disableCommand() *cobra.Command {
	return a.switchCommand(&cobra.Command{
		Use:   "disable NAME",
		Short: "Lock a user out and end the sessions",
		Long: `Locks a user out: the sessions and the sign-in links end, and the user cannot sign in.
Servers refuse the sessions within two seconds.`,
		Example: `  botwork users disable bob --reason "has left"`,
	}, true, "disabled")
}

func (a *command) enableCommand() *cobra.Command {
	return a.switchCommand(&cobra.Command{
		Use:     "enable NAME",
		Short:   "Let a disabled user in again",
		Long:    `Lets a disabled user sign in again.`,
		Example: "  botwork users enable bob",
	}, false, "enabled")
}

func (a *command) switchCommand(cmd *cobra.Command, disabled bool, word string) *cobra.Command {
	cmd.Args = cli.OneArgument("the user's name")
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(k keeper) error {
			changed, err := k.DisableUser(cmd.Context(), args[0], disabled, cli.UserName())
			if err != nil {
				return noUser(args[0], err)
			}
			if !changed {
				fmt.Fprintf(a.Stdout, "user %s was %s before\n", args[0], word)
				return nil
			}
			fmt.Fprintf(a.Stdout, "user %s %s\n", args[0], word)
			return nil
		})
	}
	return cmd
}
