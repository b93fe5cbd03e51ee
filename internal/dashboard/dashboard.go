package dashboard

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/api/events"
	"botwork/internal/httpserver"
)

// apiPrefix begins the paths of the API's operations.
const apiPrefix = "/api/v1"

// Options configure a Dashboard.
type Options struct {
	// API answers under /api/v1, as the server's own requests reach it.
	API http.Handler

	Log     zerolog.Logger
	Version string // of the program
	Name    string // of the installation, for the corner of the pages; "": none

	// DeadlineRisk is how near the deadline of an item must be for it to be at risk; 0: 15 minutes.
	DeadlineRisk time.Duration

	// Quiet reports whether nothing of these changes is known to have happened since a time; see
	// [events.Hub.Quiet]. nil: nothing is known.
	Quiet func(since time.Time, changes ...events.Change) bool

	// OpenID: people can sign in at /auth/oidc/start.
	OpenID bool
}

// Dashboard serves the pages.
type Dashboard struct {
	api     http.Handler
	log     zerolog.Logger
	version string
	name    string
	openID  bool
	assets  *assets
	pages   pages
	answers *sharedAnswers
	pace    pace
	risk    time.Duration
	mux     *http.ServeMux

	open  context.Context // until Close
	close context.CancelFunc
}

// New returns a dashboard, which Close ends. The error is one of its own files.
func New(o Options) (*Dashboard, error) {
	if o.DeadlineRisk == 0 {
		o.DeadlineRisk = 15 * time.Minute
	}
	files, err := loadAssets()
	if err != nil {
		return nil, err
	}
	d := &Dashboard{api: o.API, log: o.Log, version: o.Version, name: o.Name, openID: o.OpenID, assets: files, risk: o.DeadlineRisk, mux: http.NewServeMux(), answers: newSharedAnswers(o.Quiet)}
	if d.pages, err = loadPages(files); err != nil {
		return nil, err
	}
	d.open, d.close = context.WithCancel(context.Background())
	d.mux.Handle("GET "+assetPrefix, files)
	d.mux.HandleFunc("GET /sign-in", d.showSignIn)
	d.mux.HandleFunc("POST /sign-in", d.signIn)
	d.mux.HandleFunc("POST /sign-out", d.signOut)
	d.show("GET /{$}", d.overview)
	d.mux.HandleFunc("POST /seen", d.markSeen)
	d.mux.HandleFunc("GET /standing", d.answerStanding)
	d.mux.HandleFunc("GET /suggestions", d.suggest)
	d.show("GET /items", d.listItems)
	d.show("GET /items/{id}", d.showItem)
	d.mux.HandleFunc("GET /drawings/items/{id}", d.drawRun)
	d.show("GET /failures", d.listFailures)
	d.show("GET /queues", d.listQueues)
	d.show("GET /queues/{queue}", d.showQueue)
	d.show("GET /queues/{queue}/policy", d.showPolicy)
	d.answerTo("POST /queues/{queue}/policy", d.changePolicy)
	d.show("GET /workers", d.listWorkers)
	d.show("GET /workers/{worker}", d.showWorker)
	d.act("POST /workers/{worker}/capacity", d.resizeWorker)
	d.show("GET /pipelines", d.listPipelines)
	d.show("GET /pipelines/{pipeline}", d.showPipeline)
	d.show("GET /pipelines/{pipeline}/dry-run", d.showDryRun)
	d.answerTo("POST /pipelines/{pipeline}/dry-run", d.tryPipeline)
	d.show("GET /new-pipeline", d.startPipeline)
	d.show("GET /pipelines/{pipeline}/edit", d.showEditor)
	d.answerToForm("POST /pipelines/{pipeline}/edit", maxEdited, d.edit)
	d.show("GET /pipelines/{pipeline}/backfill", d.showBackfill)
	d.act("POST /pipelines/{pipeline}/backfill", d.backfill)
	d.show("GET /schedules", d.listRuns)
	d.show("GET /schedules/day", d.showDay)
	d.show("GET /schedules/calendar", d.showCalendar)
	d.show("GET /tasks", d.listTasks)
	d.show("GET /audit", d.listAudit)
	d.show("GET /audit/{entry}", d.showAudit)
	d.show("GET /forecast", d.showForecast)
	d.show("GET /notifications", d.listNotifications)
	d.act("POST /notifications/rules/{rule}/{action}", d.changeRule)
	d.act("POST /notifications/targets/{target}/test", d.testTarget)
	d.show("GET /escalations", d.listEscalations)
	d.show("GET /doctor", d.showDoctor)
	d.answerTo("POST /doctor", d.examine)
	d.show("GET /settings", d.showSettings)
	d.mux.HandleFunc("POST /sign-out-everywhere", d.signOutEverywhere)
	d.show("GET /password", d.showPassword)
	d.mux.HandleFunc("POST /password", d.changePassword)
	d.show("GET /access", d.listTokens)
	d.answerTo("POST /access", d.createToken)
	d.act("POST /access/{id}/revoke", d.revokeToken)
	d.show("GET /access/users", d.listUsers)
	d.answerTo("POST /access/users", d.createUser)
	d.answerTo("POST /access/users/{user}/link", d.linkUser)
	d.show("GET /access/users/{user}/sessions", d.listSessions)
	d.act("POST /access/users/{user}/set", d.setUser)
	d.act("POST /access/users/{user}/{action}", d.changeUser)
	d.show("GET /enqueue", d.showEnqueue)
	d.mux.HandleFunc("POST /enqueue", d.sendItem)
	d.show("GET /change/{id}", d.showChange)
	d.mux.HandleFunc("POST /change/{id}", d.sendItem)
	d.mux.HandleFunc("GET /items/export/{form}", d.exportItems)
	d.show("GET /items/selected", d.previewSelected)
	d.mux.HandleFunc("POST /items/selected/{action}", d.changeSelected)
	d.show("GET /items/actions/{action}", d.previewMany)
	d.mux.HandleFunc("POST /items/actions/{action}", d.changeMany)
	d.act("POST /items/{id}/{action}", d.changeItem)
	d.act("POST /queues/{queue}/{action}", d.changeQueue)
	d.act("POST /workers/{worker}/{action}", d.changeWorker)
	d.act("POST /pipelines/{pipeline}/{action}", d.changePipeline)
	d.show("GET /", d.unknown)
	return d, nil
}

// ServeHTTP implements http.Handler.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, assetPrefix) {
		setHeaders(w.Header())
	}
	d.mux.ServeHTTP(w, r)
}

// Close ends what the dashboard still asks for, after its requests have ended.
func (d *Dashboard) Close() {
	d.close()
	d.answers.running.Wait()
}

// Beside serves the API under its own paths, and the pages under all others.
func (d *Dashboard) Beside(api http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"/api/", "/auth/", "/hooks/", "/livez", "/readyz", "/metrics"} {
		mux.Handle(path, api)
	}
	mux.Handle("/", d)
	return beside{mux, api}
}

// beside is the handler of the pages and of the API.
type beside struct {
	*http.ServeMux
	api http.Handler
}

// Lane implements httpserver.Laned. The page to sign in and the files of the pages need no session.
func (b beside) Lane(r *http.Request) httpserver.Lane {
	if _, pattern := b.Handler(r); pattern != "/" {
		if laned, ok := b.api.(httpserver.Laned); ok {
			return laned.Lane(r)
		}
		return httpserver.General
	}
	if r.URL.Path == "/sign-in" || strings.HasPrefix(r.URL.Path, assetPrefix) {
		return httpserver.Public
	}
	return httpserver.General
}

// setHeaders replaces the policy of the API's answers by one that allows the files of the pages.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy(""))
	// With no-referrer, browsers send forms with the Origin null, which looks like another site.
	h.Set("Referrer-Policy", "same-origin")
}

// policy returns the policy of the pages. styles is another source of style sheets; "": there is none.
func policy(styles string) string {
	if styles != "" {
		styles = " " + styles
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'" + styles + "; img-src 'self' data:; connect-src 'self'; " +
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
}
