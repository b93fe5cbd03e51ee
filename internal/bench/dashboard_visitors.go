package bench

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/auth"
	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
)

// visitors are people with a browser each, who are signed in.
type visitors struct {
	all     []*visitor
	running sync.WaitGroup
	renewed atomic.Int64 // pages that browsers have asked for again
}

// visitor is one person with a browser.
type visitor struct {
	url    string
	tab    string // its name for the server
	client *http.Client
}

// visitors creates a user and signs it in once for each browser, and for the one that measures pages.
func (o DashboardOptions) visitors(ctx context.Context, store *sqlstore.Store, server string) (*visitors, error) {
	const name, password = "bench", "correct horse battery"
	if _, err := auth.CreateUser(ctx, store, access.UserParams{Name: name, Role: access.Admin, By: "bench"}, password); err != nil {
		return nil, err
	}
	crowd := &visitors{}
	for range max(o.Browsers, 1) {
		jar, err := cookiejar.New(nil)
		if err != nil {
			return nil, err
		}
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.Proxy, t.DisableCompression = nil, true // what a page asks for is measured as it is sent
		v := &visitor{server, rand.Text(), &http.Client{Transport: t, Jar: jar}}
		crowd.all = append(crowd.all, v)
		if err := v.signIn(ctx, name, password); err != nil {
			crowd.close()
			return nil, fmt.Errorf("sign in: %w", err)
		}
	}
	return crowd, nil
}

func (v *visitors) close() {
	for _, one := range v.all {
		one.client.CloseIdleConnections()
	}
}

func (v *visitor) signIn(ctx context.Context, name, password string) error {
	form := url.Values{"name": {name}, "password": {password}, "to": {"/settings"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	_, err = v.do(req)
	return err
}

// get returns the body of an answer as it was sent.
func (v *visitor) get(ctx context.Context, path string, header http.Header) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+path, nil)
	if err != nil {
		return nil, err
	}
	if header != nil {
		req.Header = header
	}
	return v.do(req)
}

func (v *visitor) do(req *http.Request) ([]byte, error) {
	res, err := v.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || res.Request.URL.Path == "/sign-in") {
		err = fmt.Errorf("%s %s: got the status %s; the page says: %s", req.Method, req.URL.RequestURI(), res.Status, pageText(body))
	}
	return body, err
}

var tag = regexp.MustCompile(`<[^>]*>`)

// pageText returns what a page says below its bar, in short.
func pageText(page []byte) string {
	_, main, _ := strings.Cut(string(page), "<main")
	words := strings.Join(strings.Fields(tag.ReplaceAllString("<main"+main, " ")), " ")
	return words[:min(len(words), 500)]
}

// linkedFile are the scripts, style sheets and icons of a page.
var linkedFile = regexp.MustCompile(`(?:<script[^>]* src|<link[^>]* href)="(/[^"]+)"`)

// firstLoad returns how many bytes the overview and its files have, as they are sent to a browser.
func (v *visitor) firstLoad(ctx context.Context) (bytes int, err error) {
	page, err := v.get(ctx, "/", nil)
	if err != nil {
		return 0, err
	}
	paths := []string{"/"}
	for _, link := range linkedFile.FindAllSubmatch(page, -1) {
		paths = append(paths, string(link[1]))
	}
	for _, path := range paths {
		sent, err := v.get(ctx, path, http.Header{"Accept-Encoding": {"gzip"}})
		if err != nil {
			return 0, err
		}
		bytes += len(sent)
	}
	return bytes, nil
}

// watched are the pages of the browsers, by turns.
func watched(waits int64) []string {
	return []string{"/", "/items", "/", "/queues", "/", "/workers", "/", "/schedules", "/", fmt.Sprint("/items/", waits)}
}

// browse opens a page in each browser, until ctx ends. A fault ends it for all, by leave.
func (v *visitors) browse(ctx context.Context, leave context.CancelCauseFunc, waits int64) {
	pages := watched(waits)
	for i, one := range v.all {
		v.running.Go(func() {
			// People do not open their pages at the same moment.
			if sleepUntil(ctx, time.Now().Add(time.Duration(i)*time.Second/time.Duration(len(v.all)))) != nil {
				return
			}
			if err := one.watch(ctx, pages[i%len(pages)], &v.renewed); ctx.Err() == nil {
				leave(fmt.Errorf("a browser: %w", err))
			}
		})
	}
}

// What the script of the pages reads from a page.
var (
	liveTopics = regexp.MustCompile(`data-live="([^"]*)"`)
	followed   = regexp.MustCompile(`data-follow="([^"]*)"`)
	ownPace    = regexp.MustCompile(`data-own="([0-9]+)"`)
	pagePace   = regexp.MustCompile(`data-pace="([0-9]+)"`)
)

func attribute(page []byte, of *regexp.Regexp) string {
	if found := of.FindSubmatch(page); found != nil {
		return string(found[1])
	}
	return ""
}

// watch keeps a page open as the script of the pages does: it asks for it again after an event, at most once
// in the time that the page says, and for the icon every 20 seconds.
func (v *visitor) watch(ctx context.Context, path string, renewed *atomic.Int64) error {
	page, err := v.get(ctx, path, nil)
	if err != nil {
		return err
	}
	topics := attribute(page, liveTopics)
	if topics == "" {
		return errors.New("the page does not follow events")
	}
	address := api.Prefix + "/events?topic=" + url.QueryEscape(topics)
	if item := attribute(page, followed); item != "" {
		address += "&item=" + url.QueryEscape(item)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	news, own := make(chan struct{}, 1), atomic.Bool{}
	go func() { cancel(v.follow(ctx, address, news, &own)) }()
	standing := time.NewTicker(20 * time.Second)
	defer standing.Stop()
	for last := time.Now(); ; {
		header, paced := http.Header{"X-Renew": {v.tab}}, pagePace
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-standing.C:
			if _, err := v.get(ctx, "/standing", nil); err != nil {
				return err
			}
			continue
		case <-news:
		}
		if own.Swap(false) {
			header.Set("X-News", "item")
			paced = ownPace
		}
		ms, err := strconv.Atoi(attribute(page, paced))
		if err != nil {
			return errors.New("the page does not say how often it is renewed")
		}
		if err := sleepUntil(ctx, last.Add(time.Duration(ms)*time.Millisecond)); err != nil {
			return err
		}
		last = time.Now()
		if page, err = v.get(ctx, path, header); err != nil {
			return err
		}
		renewed.Add(1)
	}
}

// follow reads events until the stream ends, which is an error. It sets own if a followed item has changed.
func (v *visitor) follow(ctx context.Context, address string, news chan<- struct{}, own *atomic.Bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.url+address, nil)
	if err != nil {
		return err
	}
	res, err := v.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("events: got the status %s", res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if lines.Text() == "event: item" {
			own.Store(true)
		}
		if strings.HasPrefix(lines.Text(), "data: ") {
			select {
			case news <- struct{}{}:
			default:
			}
		}
	}
	return errors.Join(lines.Err(), errors.New("the stream of events has ended"))
}

// generalPage is the name of a page without the number of its item, for a figure.
func generalPage(page string) string {
	if id, ok := strings.CutPrefix(page, "/items/"); ok {
		if _, err := strconv.Atoi(id); err == nil {
			return "/items/{id}"
		}
	}
	return page
}
