// Package tokens is the command `botwork tokens`.
package tokens

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
	"botwork/internal/api/auth"
	"botwork/internal/spans"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// command is one call of `botwork tokens`.
type command struct{ *cli.App }

// Command returns `botwork tokens`.
func Command(a *cli.App) *cobra.Command {
	c := &command{a}
	return cli.Group(&cobra.Command{
		Use: "tokens", Aliases: []string{"token"}, Short: "Create, list and revoke tokens of the HTTP API",
		Long: `Creates, lists and revokes the tokens with which robots and programs call the HTTP
API. A token has one role:

  viewer    reads everything but secrets
  operator  also enqueues and changes items, pauses and drains
  editor    also changes pipelines, queues and the settings of workers
  admin     also manages tokens and users
  robot     takes and finishes items of its queues, and nothing else

A token that is bound to queues sees and changes only these. The database keeps the
SHA-256 of a token, so a lost token cannot be shown again: revoke it, and create
another.`,
	}, cli.OverServer(c.createCommand()), cli.OverServer(c.listCommand()), cli.OverServer(c.revokeCommand()))
}

// keeper is what the commands call: the database, or a server.
type keeper interface {
	cli.QueueReader
	Tokens(ctx context.Context) ([]access.Token, error)
	CreateToken(ctx context.Context, p access.NewTokenParams) (token access.Token, text string, err error)
	RevokeToken(ctx context.Context, id int64, by string) (changed bool, err error)
	Now(ctx context.Context) (time.Time, error)
}

// with calls do with the server of the flags, or with the database.
func (a *command) with(ctx context.Context, readOnly bool, do func(keeper) error) error {
	if a.UsesServer() {
		return a.WithServer(func(s *remote.Server) error { return do(s) })
	}
	with := a.WithStore
	if readOnly {
		with = a.WithReadOnlyStore
	}
	return with(ctx, func(store cli.Store) error { return do(local{store}) })
}

// local is the database.
type local struct{ cli.Store }

func (l local) CreateToken(ctx context.Context, p access.NewTokenParams) (access.Token, string, error) {
	return auth.CreateToken(ctx, l.Store, p)
}

func (a *command) createCommand() *cobra.Command {
	var (
		role, expires string
		queues        []string
	)
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a token and print it",
		Long: `Creates a token and prints its text, which is shown only once. A robot works under
the name of its token; the rights of the queue (robots.rights) name it.

The table is the text alone, so that a script can use it. JSON and YAML have all
fields, and the text as token.`,
		Example: `  botwork tokens create bot-7 --role robot --queue invoices
  botwork tokens create dashboard --role viewer --expires 90d
  TOKEN=$(botwork tokens create ci --role operator --queue builds)`,
		Args: cli.OneArgument("the token's name"),
	}
	cmd.Flags().StringVar(&role, "role", "", "the `ROLE`: viewer, operator, editor, admin or robot")
	cmd.Flags().StringSliceVar(&queues, "queue", nil, "bind the token to this queue, `NAME`; may be repeated")
	cmd.Flags().StringVar(&expires, "expires", "", "how long the token is valid, such as 90d (default: for ever)")
	cli.ReasonFlag(cmd)
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p := access.NewTokenParams{Name: args[0], Queues: queues, By: cli.UserName()}
		var err error
		if role == "" {
			return &cli.UsageError{Message: "--role: got none, want viewer, operator, editor, admin or robot", Hint: "`botwork tokens --help` says what each may do"}
		}
		if p.Role, err = access.ParseRole(role); err != nil {
			return cli.Usagef("--%v", err)
		}
		if cmd.Flags().Changed("expires") {
			if p.ExpiresIn, err = parseSpan(expires); err != nil {
				return cli.Usagef("--expires: %v", err)
			}
		}
		return a.with(cmd.Context(), false, func(k keeper) error { return a.create(cmd.Context(), k, p, *output) })
	}
	return cmd
}

func parseSpan(text string) (time.Duration, error) {
	d, err := spans.Parse(text)
	if err == nil && d <= 0 {
		err = fmt.Errorf("got %s, want more than 0s", text)
	}
	return d, err
}

// created is a new token and its text.
type created struct {
	access.Token
	Text string `json:"token"`
}

func (a *command) create(ctx context.Context, k keeper, p access.NewTokenParams, output cli.Format) error {
	for _, queue := range p.Queues {
		if err := cli.CheckQueue(ctx, k, queue); err != nil {
			return err
		}
	}
	token, text, err := k.CreateToken(ctx, p)
	if bad, ok := errors.AsType[*auth.BadTokenError](err); ok {
		return &cli.UsageError{Message: bad.Error()}
	}
	if refused, ok := errors.AsType[*remote.Error](err); ok && refused.Problem.Status == http.StatusUnprocessableEntity {
		return &cli.UsageError{Message: refused.Error()}
	}
	if errors.Is(err, access.ErrNameTaken) {
		return &cli.UsageError{Message: fmt.Sprintf("there is a token %q already", p.Name), Hint: "revoke it, or choose another name"}
	}
	if err != nil {
		return err
	}
	return a.Print(output, created{token, text}, func() {
		fmt.Fprintln(a.Stdout, text)
		fmt.Fprintf(a.Stderr, "botwork: token %d, %s, as %s; it is not shown again\n", token.ID, scopeOf(&token), token.Role)
	})
}

// scopeOf describes which queues a token is for.
func scopeOf(t *access.Token) string {
	if len(t.Queues) == 0 {
		return "for all queues"
	}
	return "for " + strings.Join(t.Queues, ", ")
}

func (a *command) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the tokens",
		Long:    `Lists the tokens, including those that were revoked or have expired.`,
		Example: "  botwork tokens list\n  botwork tokens list --output json",
		Args:    cli.NoArguments,
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), true, func(k keeper) error {
			tokens, err := k.Tokens(cmd.Context())
			if err != nil {
				return err
			}
			now, err := k.Now(cmd.Context())
			if err != nil {
				return err
			}
			return a.Print(*output, tokens, func() { a.table(tokens, now) })
		})
	}
	return cmd
}

func (a *command) table(tokens []access.Token, now time.Time) {
	if len(tokens) == 0 {
		fmt.Fprintln(a.Stdout, "no tokens")
		return
	}
	g := cli.NewGrid("id", "name", "token", "role", "queues", "status", "expires", "last used", "created by").DropWhenNarrow("created by", "token", "last used")
	for i := range tokens {
		t := &tokens[i]
		g.Add(fmt.Sprint(t.ID), t.Name, t.Start+"…", string(t.Role), cli.OrNone(strings.Join(t.Queues, ", ")), status(t, now),
			a.Instant(t.ExpiresAt), a.Instant(t.LastUsedAt), t.CreatedBy)
	}
	g.Print(a.Stdout)
}

func status(t *access.Token, now time.Time) string {
	switch {
	case t.RevokedAt != nil:
		return "revoked"
	case !t.Works(now):
		return "expired"
	default:
		return "valid"
	}
}

func (a *command) revokeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revoke NAME|ID",
		Short: "Revoke a token",
		Long: `Revokes a token, which is named by its name or its id. Servers refuse it within two
seconds. A token that was revoked stays so.`,
		Example: "  botwork tokens revoke bot-7\n  botwork tokens revoke 12 --reason \"laptop lost\"",
		Args:    cli.OneArgument("the token's name or id"),
	}
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), false, func(k keeper) error { return a.revoke(cmd.Context(), k, args[0]) })
	}
	return cmd
}

func (a *command) revoke(ctx context.Context, k keeper, name string) error {
	tokens, err := k.Tokens(ctx)
	if err != nil {
		return err
	}
	token := find(tokens, name)
	if token == nil {
		return &cli.UsageError{Message: fmt.Sprintf("there is no token %q", name), Hint: "`botwork tokens list` lists them"}
	}
	changed, err := k.RevokeToken(ctx, token.ID, cli.UserName())
	if errors.Is(err, workqueue.ErrNotFound) {
		return fmt.Errorf("token %q was removed meanwhile", name)
	}
	if err != nil {
		return err
	}
	if !changed {
		fmt.Fprintf(a.Stdout, "token %d (%s) was revoked before\n", token.ID, token.Name)
		return nil
	}
	fmt.Fprintf(a.Stdout, "token %d (%s) revoked\n", token.ID, token.Name)
	return nil
}

// find returns the token with this name that is not revoked, else the latest with this name,
// else the one with this id.
func find(tokens []access.Token, name string) *access.Token {
	var found *access.Token
	for i := range tokens {
		t := &tokens[i]
		if t.Name == name && (found == nil || found.RevokedAt != nil) {
			found = t
		}
	}
	if found != nil {
		return found
	}
	id, err := strconv.ParseInt(name, 10, 64)
	for i := range tokens {
		if err == nil && tokens[i].ID == id {
			return &tokens[i]
		}
	}
	return nil
}
