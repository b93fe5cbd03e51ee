// Package serving runs the HTTP server of the commands that have one.
package serving

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/version"
	"botwork/config"
	"botwork/internal/api"
	"botwork/internal/api/auth"
	"botwork/internal/api/hooks"
	"botwork/internal/dashboard"
	"botwork/internal/httpserver"
	"botwork/internal/metrics"
	"botwork/internal/notifier"
	"botwork/workqueue/access"
	"botwork/workqueue/notify"
)

// stopGrace is how long requests that are being processed may take when the server stops.
const stopGrace = 20 * time.Second

// Server is a running HTTP server.
type Server struct {
	*httpserver.Server
	openID  *auth.OIDC // nil: none
	pages   *dashboard.Dashboard
	stop    context.CancelFunc
	running sync.WaitGroup
}

// Options configure Start.
type Options struct {
	App     *projectdir.App // its settings must not change any more
	Store   cli.Store
	Figures *metrics.Process // of this process
	Hooks   []*hooks.Hook    // webhooks

	Notifications notifier.Plan

	Log zerolog.Logger

	// Terminal gets a sign-in link if no user and no token exists; nil: there is no terminal, and
	// the log says what to do.
	Terminal io.Writer
}

// Start listens on the address of the settings and serves the API.
func Start(ctx context.Context, o Options) (*Server, error) {
	settings := o.App.Config.HTTP
	listen, err := options(settings, o.Log)
	if err != nil {
		return nil, err
	}
	listen.Observe = o.Figures.Request
	server, err := httpserver.Listen(ctx, listen)
	if err != nil {
		return nil, err
	}
	program, signIn := version.Current().Version, openID(settings.OIDC, server.URL())
	folder := &project{app: o.App, store: o.Store, log: o.Log}
	for _, h := range o.Hooks {
		o.Figures.ExpectHook(h.Name, hooks.Outcomes())
	}
	a := api.New(api.Options{
		Store: o.Store, Log: o.Log, Version: program, Limits: listen.Limits, Draining: server.Draining(), URL: server.URL(), OIDC: signIn,
		Hooks: o.Hooks, ObserveHook: o.Figures.Hook, Notifications: o.Notifications.Plan, SendNotification: o.Notifications.Sender.Send, Metrics: metrics.Handler(o.Figures, o.Store, program, o.Log),
		About: api.About{
			File: cmp.Or(o.App.Config.File, o.App.ConfigFile), Listen: settings.Listen, TLS: settings.TLS.Cert != "", Database: string(o.App.Config.Database.Driver), Issuer: settings.OIDC.Issuer,
		},
		Home: "/", Project: folder, Editor: newEditor(folder), Inline: settings.Inline, ReadOnly: settings.ReadOnly, Redact: o.App.Redactor().Redact,
	})
	pages, err := dashboard.New(dashboard.Options{
		API: a.Handler(), Quiet: a.Quiet, Log: o.Log, Version: program, OpenID: signIn != nil, DeadlineRisk: deadlineRisk(o.Notifications.Rules),
	})
	if err != nil {
		return nil, errors.Join(err, server.Shutdown(ctx))
	}
	server.Serve(pages.Beside(a.Handler()))
	s := &Server{Server: server, openID: signIn, pages: pages}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(func() { a.Run(ctx) })
	o.Log.Info().Str("url", server.URL()).Msg("HTTP API started")
	if settings.OIDC.Issuer != "" && o.Terminal == nil {
		return s, nil // users of the provider can sign in
	}
	if err := invite(ctx, o.Store, server.URL(), o.Terminal, o.Log); err != nil {
		o.Log.Warn().Err(err).Msg("could not look for users and tokens")
	}
	return s, nil
}

// Terminal returns standard error if it is a terminal, for Start; else nil.
func Terminal(s *cli.Streams) io.Writer {
	if cli.IsTerminal(s.Stderr) {
		return s.Stderr
	}
	return nil
}

// URL returns the address by which people reach a server with these settings.
func URL(settings config.HTTP) string {
	if settings.PublicURL != "" {
		return strings.TrimSuffix(settings.PublicURL, "/")
	}
	return httpserver.URL(settings.Listen, settings.TLS.Cert != "")
}

// Stop drains the server: requests that wait are answered, and the others may end.
func (s *Server) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	err := s.Shutdown(ctx)
	s.pages.Close()
	s.stop()
	s.running.Wait()
	if s.openID != nil {
		s.openID.Close()
	}
	return err
}

// deadlineRisk returns the bound of the rules about deadlines, the largest if there are several; 0: there is
// no such rule.
func deadlineRisk(rules []notify.Rule) (within time.Duration) {
	for i := range rules {
		if rules[i].Event == notify.DeadlineAtRisk {
			within = max(within, rules[i].Bounds.Within)
		}
	}
	return within
}

// openID returns the client of the OpenID provider; nil if the settings name none.
func openID(settings config.OIDC, url string) *auth.OIDC {
	if settings.Issuer == "" {
		return nil
	}
	return auth.NewOIDC(auth.OIDCOptions{
		Issuer: settings.Issuer, ClientID: settings.ClientID, ClientSecret: settings.ClientSecret.Reveal(), RedirectURL: url + auth.OIDCCallback,
		Scopes: settings.Scopes, Claim: settings.Claim,
		Roles: map[access.Role][]string{
			access.Admin: settings.Roles.Admin, access.Editor: settings.Roles.Editor, access.Operator: settings.Roles.Operator, access.Viewer: settings.Roles.Viewer,
		},
	})
}

func options(settings config.HTTP, log zerolog.Logger) (httpserver.Options, error) {
	o := httpserver.Options{
		Listen: settings.Listen, CertFile: settings.TLS.Cert, KeyFile: settings.TLS.Key, PublicURL: settings.PublicURL, Log: log,
		Limits: httpserver.Limits{
			Body: int64(settings.Limits.BodyMB) << 20, Requests: settings.Limits.Requests, Waiting: settings.Limits.Waiting, PerSecond: settings.Limits.PerSecond,
		},
	}
	o.TrustedProxies = make([]netip.Prefix, len(settings.TrustedProxies))
	for i, text := range settings.TrustedProxies {
		var err error
		if o.TrustedProxies[i], err = config.ParseNetwork(text); err != nil {
			return o, err
		}
	}
	return o, nil
}
