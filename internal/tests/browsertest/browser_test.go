//go:build unix

package browsertest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// browser is a Chromium without windows, for one test. Each tab has cookies of its own.
type browser struct {
	t       *testing.T
	project *project
	ctx     context.Context
}

func (x *project) browser() *browser {
	x.Helper()
	return &browser{x.T, x, startBrowser(x.T)}
}

// startBrowser starts a Chromium that ends with the test.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(1440, 900))
	ctx, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	// What goes wrong is an error of the call; besides, chromedp notes events that are newer than it.
	ctx, closeBrowser := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(func() { closeBrowser(); stop() })
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start %s: %v", chromium, err)
	}
	return ctx
}

// tab is a page that a person looks at.
type tab struct {
	*testing.T
	b   *browser
	ctx context.Context

	mu     sync.Mutex
	faults []string // what the browser complains about
}

// tab opens an empty page with cookies of its own. The test fails if a script of it fails, if it
// breaks the policy of the pages, or if a file is missing.
func (b *browser) tab() *tab {
	b.t.Helper()
	browser := cdp.WithExecutor(b.ctx, chromedp.FromContext(b.ctx).Browser)
	person, err := target.CreateBrowserContext().Do(browser)
	if err != nil {
		b.t.Fatal(err)
	}
	// Chromium opens no tab in a context that has no window.
	page, err := target.CreateTarget("about:blank").WithBrowserContextID(person).WithNewWindow(true).Do(browser)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, closeTab := chromedp.NewContext(b.ctx, chromedp.WithTargetID(page))
	tab := &tab{T: b.t, b: b, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			tab.fault(e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			// An answer that is a refusal is no fault of the page.
			if e.Entry.Level == log.LevelError && e.Entry.Source != log.SourceNetwork {
				tab.fault(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
	// The first call opens the tab for as long as its context lives, so it has no limit of its own.
	if err := chromedp.Run(ctx, chromedp.EmulateViewport(1440, 900)); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		tab.mu.Lock()
		for _, fault := range tab.faults {
			b.t.Errorf("the browser complains: %s", fault)
		}
		tab.mu.Unlock()
		closeTab()
	})
	return tab
}

func (p *tab) fault(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, text)
}

// run does something in the page, and fails if that takes too long.
func (p *tab) run(actions ...chromedp.Action) {
	p.Helper()
	if err := p.try(actions...); err != nil {
		p.Fatalf("at %s: %v\n%s", p.at(), err, p.text())
	}
}

func (p *tab) try(actions ...chromedp.Action) error {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

// as signs a new user of a role in, with a link that works once.
func (b *browser) as(role string) *tab {
	b.t.Helper()
	p := b.tab()
	p.run(chromedp.Navigate(b.project.link(role)))
	p.click("Sign in")
	p.see("Overview")
	return p
}

// link creates a user and returns a link that signs in once.
func (x *project) link(role string) string {
	x.Helper()
	x.must("users", "create", role, "--role", role)
	for word := range strings.FieldsSeq(x.must("users", "link", role)) {
		if strings.HasPrefix(word, "http") {
			return word
		}
	}
	x.Fatal("botwork users link printed no address")
	return ""
}

// open shows a page of the server.
func (p *tab) open(path string) {
	p.Helper()
	open := chromedp.Navigate(p.b.project.url + path)
	if err := p.try(open); err != nil && strings.Contains(err.Error(), "net::ERR_ABORTED") {
		// A page that a click just asked for came in between.
		p.run(open)
	} else if err != nil {
		p.Fatalf("open %s: %v", path, err)
	}
}

// at returns the path of the page.
func (p *tab) at() string {
	var at string
	if err := p.try(chromedp.Location(&at)); err != nil {
		return err.Error()
	}
	u, err := url.Parse(at)
	if err != nil {
		return at
	}
	return u.RequestURI()
}

// text returns what the page shows.
func (p *tab) text() string {
	var text string
	if err := p.try(chromedp.Evaluate(`document.body.innerText`, &text)); err != nil {
		return err.Error()
	}
	return text
}

// until waits until an expression of the page is true. A page that is exchanged by another one
// meanwhile is waited for, too.
func (p *tab) until(expression string) {
	p.Helper()
	late := time.Now().Add(patience)
	for {
		var ok bool
		err := p.try(chromedp.Poll("Boolean("+expression+")", &ok, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(max(time.Until(late), time.Millisecond))))
		if err == nil {
			return
		}
		if time.Now().After(late) {
			p.Fatalf("at %s, %s does not become true: %v\n%s", p.at(), expression, err, p.text())
		}
	}
}

// see waits until the page shows texts.
func (p *tab) see(texts ...string) {
	p.Helper()
	for _, text := range texts {
		p.until(fmt.Sprintf("document.body && document.body.innerText.includes(%q)", text))
	}
}

// lacks fails if the page shows a text.
func (p *tab) lacks(text string) {
	p.Helper()
	if shown := p.text(); strings.Contains(shown, text) {
		p.Errorf("at %s, the page shows %q:\n%s", p.at(), text, shown)
	}
}

// click clicks the first link, button or summary with this text that can be seen.
func (p *tab) click(text string) {
	p.Helper()
	p.clickIn("body", text)
}

// clickIn is click within an element.
func (p *tab) clickIn(selector, text string) {
	p.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].flatMap((root) => [...root.querySelectorAll("a, button, summary, label")]).find((e) => e.innerText?.trim() === %q && e.checkVisibility())`, selector, text)
	mark := chromedp.Evaluate(fmt.Sprintf(`{ const found = %s; document.querySelectorAll("[data-clicked]").forEach((e) => delete e.dataset.clicked); found.dataset.clicked = ""; found.scrollIntoView({ block: "center" }); }`, find), nil)
	// News may replace what was found before it is clicked; a person would click again.
	for late := time.Now().Add(patience); ; {
		p.until(find)
		ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
		err := chromedp.Run(ctx, mark, chromedp.Click("[data-clicked]", chromedp.ByQuery))
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(late) {
			p.Fatalf("at %s, click %q: %v\n%s", p.at(), text, err, p.text())
		}
	}
}

// ready waits until the scripts of the page have run, so that it hears keys.
func (p *tab) ready() {
	p.Helper()
	p.until(`document.readyState === "complete"`)
}

// fill enters a text into a field.
func (p *tab) fill(selector, text string) {
	p.Helper()
	p.until(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility()`, selector))
	p.run(chromedp.Evaluate(fmt.Sprintf(`{ const field = document.querySelector(%q); field.focus(); field.select(); }`, selector), nil), input.InsertText(text))
}

// size sets the width of the page and the theme of the system.
func (p *tab) size(width int64, theme string) {
	p.Helper()
	p.run(chromedp.EmulateViewport(width, 900), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}))
}

// artefacts returns the folder for the pictures of a test.
func artefacts(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(artefactsVariable)
	if dir == "" {
		return t.TempDir()
	}
	dir = filepath.Join(dir, filepath.FromSlash(t.Name()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
