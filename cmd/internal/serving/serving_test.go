package serving_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/serving"
	"botwork/config"
	"botwork/internal/metrics"
	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStart(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: "sqlite", DSN: filepath.Join(t.TempDir(), "botwork.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	app := projectdir.New(strings.NewReader(""), io.Discard, nil, nil)
	app.Config = config.Default()
	app.Config.HTTP.Listen = "127.0.0.1:0"
	s, err := serving.Start(t.Context(), serving.Options{App: app, Store: store, Figures: metrics.NewProcess(), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/api/v1/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: got %d, want 401", res.StatusCode)
	}
	app.Config.HTTP.Listen = strings.TrimPrefix(s.URL(), "http://")
	if _, err := serving.Start(t.Context(), serving.Options{App: app, Store: store, Figures: metrics.NewProcess(), Log: zerolog.Nop()}); err == nil || !strings.Contains(err.Error(), app.Config.HTTP.Listen) {
		t.Errorf("the address is in use: got %v, want an error that names it", err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := client.Do(req); err == nil {
		t.Error("the server answers after Stop")
	}
}

// The first start prints a link only on a terminal, and only until there is a user or a token.
func TestInvite(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: "sqlite", DSN: filepath.Join(t.TempDir(), "botwork.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	app := projectdir.New(strings.NewReader(""), io.Discard, nil, nil)
	app.Config = config.Default()
	app.Config.HTTP.Listen = "127.0.0.1:0"
	run := func(terminal io.Writer) (log, url string, stop func()) {
		t.Helper()
		var lines bytes.Buffer
		s, err := serving.Start(t.Context(), serving.Options{App: app, Store: store, Figures: metrics.NewProcess(), Log: zerolog.New(&lines), Terminal: terminal})
		if err != nil {
			t.Fatal(err)
		}
		return lines.String(), s.URL(), func() {
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}

	log, _, stop := run(nil)
	stop()
	users, err := store.Users(t.Context())
	if err != nil || len(users) > 0 || strings.Count(log, "botwork users create") != 1 || strings.Contains(log, "token=") {
		t.Errorf("without a terminal: got the users %v, %v and the log\n%s", users, err, log)
	}

	var link string
	for range 2 { // until the user has signed in, each start prints a link
		var terminal bytes.Buffer
		log, url, stop := run(&terminal)
		link = regexp.MustCompile(`\S+/auth/link\?token=\S+`).FindString(terminal.String())
		if !strings.HasPrefix(link, url) || strings.Contains(log, "token=") {
			t.Fatalf("got the link %q, the terminal\n%s\nand the log\n%s", link, terminal.String(), log)
		}
		stop()
	}
	users, err = store.Users(t.Context())
	if err != nil || len(users) != 1 || users[0].Role != access.Admin || users[0].PasswordHash != "" {
		t.Fatalf("got the users %+v, %v", users, err)
	}

	_, url, stop := run(nil)
	defer stop()
	_, token, _ := strings.Cut(link, "token=")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.PostForm(url+"/auth/link", map[string][]string{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the link: got %d", res.StatusCode)
	}
	var terminal bytes.Buffer
	log, _, stopSecond := run(&terminal)
	stopSecond()
	if terminal.Len() > 0 || strings.Contains(log, "users create") {
		t.Errorf("after the sign-in: got the terminal\n%s\nand the log\n%s", terminal.String(), log)
	}
}
