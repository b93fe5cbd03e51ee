package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/rs/zerolog"

	"botwork/internal/api/auth"
	"botwork/internal/api/events"
	"botwork/internal/api/hooks"
	"botwork/internal/api/longpoll"
	"botwork/internal/httpserver"
	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/notify"
)

// Options configure an API.
type Options struct {
	Store    Store
	Log      zerolog.Logger
	Version  string // of the program
	Limits   httpserver.Limits
	Draining <-chan struct{} // closed when requests that wait must end
	URL      string          // by which people reach the server, without a slash at the end

	// Project is the project of the settings; nil: the server has none.
	Project Project

	// Editor changes the pipelines of the project; nil: they cannot be changed over HTTP.
	Editor Editor

	// Inline lets editors who are not bound to queues send what runs with the rights of the workers: whole
	// pipelines in place of names, and scorings by a service.
	Inline bool

	// ReadOnly makes viewers of all people, and refuses what robots and webhooks would change. People can sign
	// in and out.
	ReadOnly bool

	// Redact removes secrets from texts that people wrote, such as those of the audit log; nil:
	// there are none.
	Redact func(text string) string

	// Hooks are the webhooks. ObserveHook counts the outcome of each request to them; nil: nothing does.
	Hooks       []*hooks.Hook
	ObserveHook func(hook, outcome string)

	// Notifications are the rules and targets of the settings.
	Notifications notify.Plan

	// SendNotification sends a test message to one of these targets.
	SendNotification operations.SendNotification

	// Metrics answers with the figures for Prometheus; nil: there are none.
	Metrics http.Handler

	// OIDC is the sign-in by an OpenID provider; nil: none. The caller closes it.
	OIDC *auth.OIDC

	// About is what settings-get says about the server.
	About About

	// Home is the path of the page that a browser opens after a sign-in; "": it shows who has
	// signed in.
	Home string
}

// API answers requests under /api, and those of browsers under /auth.
type API struct {
	store    Store
	log      zerolog.Logger
	version  string
	url      string
	home     string
	oidc     *auth.OIDC
	limits   httpserver.Limits
	draining <-chan struct{}
	project  Project
	editor   Editor // nil: pipelines cannot be edited
	inline   bool
	readOnly bool
	tokens   *auth.Tokens
	metrics  http.Handler
	hooks    map[string]*hooks.Hook
	events   *events.Hub
	notify   notify.Plan
	send     operations.SendNotification
	waiting  *longpoll.Hub
	queues   queueCache
	sessions *auth.Sessions
	signIns  *auth.SignIns

	observeHook func(hook, outcome string)

	redactText func(string) string
	checking   sync.Mutex // held by a check or an examination
	forecasts  *forecasts
	accuracies *accuracies
	about      About

	escalations *escalations

	mux        *http.ServeMux
	huma       huma.API
	operations []Operation
	lanes      map[string]httpserver.Lane // by pattern; the others are General

	readiness readiness
}

// New returns an API. Call Run for what it does in the background.
func New(o Options) *API {
	a := &API{
		store: o.Store, log: o.Log, version: o.Version, url: o.URL, home: o.Home, oidc: o.OIDC, limits: o.Limits, draining: o.Draining, project: o.Project, editor: o.Editor, inline: o.Inline, readOnly: o.ReadOnly,
		tokens: auth.NewTokens(o.Store), sessions: auth.NewSessions(o.Store), signIns: auth.NewSignIns(o.Store), mux: http.NewServeMux(), lanes: map[string]httpserver.Lane{},
		notify: o.Notifications, send: o.SendNotification, metrics: o.Metrics, waiting: longpoll.New(o.Limits.Waiting, o.Draining), hooks: map[string]*hooks.Hook{}, events: events.NewHub(o.Store, o.Limits.Waiting, o.Log),
		forecasts: newForecasts(), accuracies: newAccuracies(), escalations: newEscalations(), about: o.About,
	}
	if a.redactText = o.Redact; a.redactText == nil {
		a.redactText = func(text string) string { return text }
	}
	if a.observeHook = o.ObserveHook; a.observeHook == nil {
		a.observeHook = func(string, string) {}
	}
	for _, h := range o.Hooks {
		a.hooks[h.Name] = h
	}
	a.mux.HandleFunc("POST /hooks/{name}", a.receiveHook)
	a.huma = humago.New(a.mux, a.config())
	a.huma.UseMiddleware(a.identify)
	a.registerAll()
	a.finishDocument()
	a.handleSignIn()
	a.mux.HandleFunc("GET /api/openapi.json", a.serveDocument((*huma.OpenAPI).MarshalJSON, "application/json"))
	a.mux.HandleFunc("GET /api/openapi.yaml", a.serveDocument((*huma.OpenAPI).YAML, "application/yaml"))
	return a
}

// registerAll adds the operations, in the order of the document.
func (a *API) registerAll() {
	a.registerItems()
	a.registerQueues()
	a.registerRobots()
	a.registerQueueChanges()
	a.registerWorkers()
	a.registerRuns()
	a.registerTasks()
	a.registerDurations()
	a.registerStats()
	a.registerForecast()
	a.registerAudit()
	a.registerNotifications()
	a.registerEscalations()
	a.registerPipelines()
	a.registerDrafts()
	a.registerSchedules()
	a.registerChecks()
	a.registerSessions()
	a.registerPassword()
	a.registerTokens()
	a.registerUsers()
	a.registerVersion()
	a.registerSettings()
	a.registerEvents()
	a.registerHealth()
}

// Handler returns the handler of everything under /api, /auth and /hooks, of /livez and of /readyz. It says
// which lane each request has: see [httpserver.Laned].
func (a *API) Handler() http.Handler { return entrance{a} }

// Waiting returns how many robots wait for items.
func (a *API) Waiting() int { return a.waiting.Waiting() }

// Quiet reports whether nothing of these changes is known to have happened since a time; see [events.Hub.Quiet].
func (a *API) Quiet(since time.Time, changes ...events.Change) bool {
	return a.events.Quiet(since, changes...)
}

// Run does what the API does in the background, until ctx ends.
func (a *API) Run(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { a.events.Run(ctx) })
	running.Go(func() { a.hearNotices(ctx) })
	defer a.waiting.Close()
	defer running.Wait()
	const every = 30 * time.Second
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := a.tokens.Record(ctx); err != nil && ctx.Err() == nil {
				a.log.Warn().Err(err).Msg("could not record which tokens were used")
			}
		}
	}
}

// identify is huma's middleware that finds the caller and checks the permission.
func (a *API) identify(ctx huma.Context, next func(huma.Context)) {
	op, ok := ctx.Operation().Metadata[permission].(Operation)
	if !ok {
		a.write(ctx, problem(http.StatusInternalServerError, "internal", "the operation has no permission"))
		return
	}
	if op.Open {
		next(huma.WithContext(ctx, withAddress(ctx.Context())))
		return
	}
	p, refused := a.caller(ctx)
	if refused == nil && a.readOnly {
		p, refused = reader(p, op)
	}
	if refused == nil {
		refused = permit(p, op)
	}
	if refused != nil {
		refused.Instance = httpserver.RequestID(ctx.Context())
		a.write(ctx, refused)
		return
	}
	c := auth.With(ctx.Context(), p)
	c = workqueue.WithActor(c, workqueue.Actor{Name: p.Name, Via: workqueue.ViaAPI, Host: httpserver.ClientAddress(c)})
	c = context.WithValue(c, againKey{}, func() error {
		if _, refused := a.caller(ctx); refused != nil {
			return refused
		}
		return nil
	})
	next(huma.WithContext(ctx, c))
}

type againKey struct{}

// stillLetIn checks the credentials of a request once more that has waited: its token may have been
// revoked, or its session ended.
func stillLetIn(ctx context.Context) error {
	again, ok := ctx.Value(againKey{}).(func() error)
	if !ok {
		return nil // the caller needed none
	}
	return again()
}

// caller returns who sends the request: the owner of the token, or without one the user of the
// session.
func (a *API) caller(ctx huma.Context) (*access.Principal, *Problem) {
	header := ctx.Header("Authorization")
	if header == "" {
		if text := sessionText(ctx.Context(), ctx.Header("Cookie")); text != "" {
			return a.sessionCaller(ctx.Context(), text)
		}
		return nil, unauthorized("no-credentials", "the request has no token and no session")
	}
	scheme, text, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, unauthorized("unknown-scheme", "the header Authorization has no bearer token")
	}
	p, err := a.tokens.Token(ctx.Context(), strings.TrimSpace(text))
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, auth.ErrUnknown):
		return nil, unauthorized("invalid-token", "the token is not valid")
	case errors.Is(err, auth.ErrExpired):
		return nil, unauthorized("token-expired", "the token has expired")
	case errors.Is(err, auth.ErrRevoked):
		return nil, unauthorized("token-revoked", "the token was revoked")
	default:
		return nil, a.noDatabase(ctx.Context(), err, "could not look up a token")
	}
}

func (a *API) sessionCaller(ctx context.Context, text string) (*access.Principal, *Problem) {
	session, err := a.sessions.Session(ctx, text)
	if errors.Is(err, auth.ErrNoSession) {
		return nil, unauthorized("session-ended", "the session has ended").withHint("sign in again")
	}
	if err != nil {
		return nil, a.noDatabase(ctx, err, "could not look up a session")
	}
	p := session.Principal()
	return &p, nil
}

func unauthorized(code, detail string) *Problem {
	return problem(http.StatusUnauthorized, code, "%s", detail).withHeader("WWW-Authenticate", "Bearer").
		withHint("send the header Authorization: Bearer with a token of `botwork tokens create`")
}

func (a *API) noDatabase(ctx context.Context, err error, message string) *Problem {
	a.log.Error().Err(err).Str("request", httpserver.RequestID(ctx)).Msg(message)
	return problem(http.StatusServiceUnavailable, "database-unavailable", "the database does not answer").withHeader("Retry-After", "5")
}

// write answers with a problem outside of a handler.
func (a *API) write(ctx huma.Context, p *Problem) {
	for name, values := range p.header {
		for _, value := range values {
			ctx.SetHeader(name, value)
		}
	}
	_ = huma.WriteErr(a.huma, ctx, p.Status, "", p)
}

// serveUnknown answers a request that no operation matches.
func (a *API) serveUnknown(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	rec := &statusOnly{header: http.Header{}}
	handler.ServeHTTP(rec, r)
	p := problem(http.StatusNotFound, "unknown-path", "there is nothing at %.200q", r.URL.Path).withHint("GET /api/openapi.json lists the operations")
	if rec.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", rec.header.Get("Allow"))
		p = problem(rec.status, "method-not-allowed", "%s is not allowed for %.200q; allowed: %s", r.Method, r.URL.Path, rec.header.Get("Allow"))
	}
	p.Instance = httpserver.RequestID(r.Context())
	w.Header().Set("Content-Type", httpserver.ProblemType)
	w.WriteHeader(p.Status)
	_ = huma.DefaultJSONFormat.Marshal(w, p)
}

// statusOnly is a ResponseWriter that keeps the status and the header.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) Write(p []byte) (int, error) { return len(p), nil }
func (s *statusOnly) WriteHeader(status int)      { s.status = status }
