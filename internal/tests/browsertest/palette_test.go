//go:build unix

package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// palette opens the command palette by its keys.
func (p *tab) palette() {
	p.Helper()
	p.ready()
	p.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
	p.until(`document.querySelector("#palette").open && document.activeElement === document.querySelector("#palette input")`)
}

// offers waits until the selected entry of the palette, the one that a screen reader reads, has a kind and a text.
func (p *tab) offers(kind, text string) {
	p.Helper()
	p.until(fmt.Sprintf(`(() => {
		const input = document.querySelector("#palette input"), chosen = document.querySelectorAll("#palette [aria-selected=true]");
		return chosen.length === 1 && chosen[0].id === input.getAttribute("aria-activedescendant") && chosen[0].querySelector(".kind").textContent === %q && chosen[0].innerText.includes(%q);
	})()`, kind, text))
}

// TestBrowserPalette goes to pages, queues and items and acts on a page with the command palette, by the keyboard alone.
func TestBrowserPalette(t *testing.T) {
	x := newProject(t)
	id := x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-1", "payload": {"invoice": "INV-1", "amount": 1}}`)[0]
	p := x.browser().as("operator")
	enter := chromedp.KeyEvent(kb.Enter)
	dir := artefacts(t)
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 390} {
			p.size(width, theme)
			p.palette()
			p.accessible(fmt.Sprintf("the palette, %d pixels, %s", width, theme))
			var picture []byte
			p.run(chromedp.CaptureScreenshot(&picture))
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("palette-%d-%s.png", width, theme)), picture, 0o644); err != nil {
				t.Fatal(err)
			}
			p.run(chromedp.KeyEvent(kb.Escape))
			p.until(`!document.querySelector("#palette").open`)
		}
	}
	p.size(1440, "light")

	p.palette()
	p.run(input.InsertText("audit"))
	p.offers("page", "Audit")
	p.run(enter)
	p.until(`location.pathname === "/audit"`)

	p.palette()
	p.run(input.InsertText("INV-1"))
	p.offers("item", "INV-1")
	p.run(enter)
	p.until(fmt.Sprintf(`location.pathname === "/items/%d"`, id))

	// The keys work in the field of the search, too. Names are found by a part of them.
	p.run(chromedp.Focus("#find", chromedp.ByQuery))
	p.palette()
	p.run(input.InsertText("rder"))
	p.offers("queue", "orders")
	p.run(enter)
	p.until(`location.pathname === "/queues/orders"`)

	// An action of the page, and its form gets the focus.
	p.palette()
	p.run(input.InsertText("pause"))
	p.offers("action", "Pause")
	p.run(enter)
	p.until(`document.querySelector("details[open] input[name=reason]") === document.activeElement`)

	// A key that is held does not send the form that it has opened.
	p.open("/queues/orders")
	p.palette()
	p.run(input.InsertText("pause"))
	p.offers("action", "Pause")
	held := input.DispatchKeyEvent(input.KeyDown).WithKey("Enter").WithCode("Enter").WithText("\r").WithWindowsVirtualKeyCode(13)
	p.run(held, held.WithAutoRepeat(true), held.WithAutoRepeat(true), input.DispatchKeyEvent(input.KeyUp).WithKey("Enter").WithCode("Enter").WithWindowsVirtualKeyCode(13))
	p.until(`document.querySelector("details[open] input[name=reason]") === document.activeElement`)
	if q, err := x.store.Queue(t.Context(), "orders"); err != nil || q.Paused {
		t.Errorf("the queue is paused %t, %v; want only its form open", q.Paused, err)
	}

	// The arrows go around, and Escape goes back to where the focus was.
	p.open("/workers")
	p.click("Commands")
	p.until(`document.querySelector("#palette").open`)
	p.offers("page", "Overview")
	p.run(chromedp.KeyEvent(kb.ArrowUp))
	p.offers("action", "Keys")
	p.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	p.offers("page", "Items")
	p.run(chromedp.KeyEvent(kb.Escape))
	p.until(`!document.querySelector("#palette").open && document.activeElement.matches("[data-palette-open]")`)

	// What is found nowhere leads to the search of items.
	p.palette()
	p.run(input.InsertText("nothing like <b>this</b>"))
	p.offers("search", "nothing like <b>this</b>")
	p.run(enter)
	p.until(`location.pathname === "/items" && new URLSearchParams(location.search).get("keyPart") === "nothing like <b>this</b>"`)
}

// TestBrowserKeys goes to each page of the navigation by its key, and walks the list of the overview.
func TestBrowserKeys(t *testing.T) {
	x := newProject(t)
	x.must("queues", "pause", "mail")
	x.must("queues", "pause", "orders")
	p := x.browser().as("admin")
	var places []struct{ Key, Path string }
	p.run(chromedp.Evaluate(`[...document.querySelectorAll(".side > a")].map((a) => ({ Key: a.dataset.key, Path: a.getAttribute("href") }))`, &places))
	keys := map[string]bool{}
	for _, place := range places {
		if place.Key == "" || keys[place.Key] {
			t.Errorf("%s has the key %q, want one of its own", place.Path, place.Key)
		}
		keys[place.Key] = true
		p.run(chromedp.KeyEvent("g"), chromedp.KeyEvent(place.Key))
		p.until(fmt.Sprintf(`location.pathname === %q && document.readyState === "complete"`, place.Path))
	}
	if len(places) < 14 {
		t.Errorf("%d pages in the navigation, want all: %v", len(places), places)
	}
	p.run(chromedp.KeyEvent("?"))
	p.until(`document.querySelector("#keys").open`)
	p.until(fmt.Sprintf(`document.querySelectorAll("#keys dt").length >= %d`, len(places)+5))
	p.accessible("the list of keys")
	p.run(chromedp.KeyEvent(kb.Escape))
	p.open("/")
	p.see("Queue mail is paused", "Queue orders is paused")
	row := func(n int) {
		t.Helper()
		p.until(fmt.Sprintf(`document.activeElement === document.querySelectorAll("main .attention li a.do")[%d]`, n))
	}
	p.run(chromedp.KeyEvent("j"))
	row(0)
	p.run(chromedp.KeyEvent("j"))
	row(1)
	p.run(chromedp.KeyEvent("k"))
	row(0)
	p.run(chromedp.KeyEvent("j"), chromedp.KeyEvent(kb.Enter))
	p.until(`location.pathname.startsWith("/queues/") || location.pathname === "/workers"`)

	// The days of a month one by one.
	p.open("/schedules/calendar")
	for n := range 3 {
		p.run(chromedp.KeyEvent("j"))
		p.until(fmt.Sprintf(`document.activeElement === document.querySelectorAll("main .month td a")[%d]`, n))
	}

	// The theme of the system, light, dark, and again that of the system.
	p.open("/settings")
	for _, theme := range []string{"light", "dark", "system"} {
		p.click(map[string]string{"light": "Theme: system", "dark": "Theme: light", "system": "Theme: dark"}[theme])
		p.until(fmt.Sprintf(`(document.documentElement.dataset.theme || "system") === %q && document.querySelector("[data-theme-pick]").textContent === %q`, theme, "Theme: "+theme))
	}
}

// TestBrowserNoticeIsReadOnce lets screen readers read what a page says once, and not each time that the page follows.
func TestBrowserNoticeIsReadOnce(t *testing.T) {
	x := newProject(t)
	p := x.browser().as("operator")
	p.open("/queues")
	p.run(chromedp.Evaluate(`{ const form = document.createElement("form"), back = document.createElement("input"); Object.assign(back, { name: "back", value: "/queues" });
		form.method = "post"; form.action = "/queues/orders/pause"; form.append(back); document.body.append(form); form.submit(); }`, nil))
	p.until(`document.querySelector(".notice[role=status]") !== null`)
	x.must("queues", "pause", "mail")
	p.until(`document.querySelector("main").innerText.split("Paused").length > 2`)
	p.until(`document.querySelector(".notice") !== null && document.querySelector(".notice[role]") === null`)
	p.until(`document.querySelector(".notice form[action='/queues/orders/resume']") !== null`)
}

// TestBrowserFailureRow opens the items of a failure with the keys, and not their change.
func TestBrowserFailureRow(t *testing.T) {
	x := newProject(t)
	x.worker("bot-1")
	x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "payload": {"invoice": "INV-1", "amount": 1, "ledger": "down"}}`)
	p := x.browser().as("operator")
	p.open("/")
	p.until(`document.title.startsWith("(1) ")`)
	p.open("/failures")
	p.until(`document.querySelector("main tbody a.do") !== null`)
	p.run(chromedp.KeyEvent("j"), chromedp.KeyEvent(kb.Enter))
	p.until(`location.pathname === "/items" && location.search.includes("errorKind=")`)
}

// TestBrowserTitleFollows shows a failure in the title and the icon of a page that follows no events.
func TestBrowserTitleFollows(t *testing.T) {
	x := newProject(t)
	x.worker("bot-1")
	p := x.browser().as("viewer")
	p.open("/audit")
	p.run(chromedp.Evaluate(`window.sameDocument = true`, nil))
	p.until(`document.title === "Audit · Botwork" && document.querySelector("#icon").href.includes("/assets/icon.")`)
	x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "payload": {"invoice": "INV-1", "amount": 1, "ledger": "down"}}`)
	p.until(`document.title === "(1) Audit · Botwork" && document.querySelector("#icon").href.includes("/assets/icon-failing.") && window.sameDocument`)
	p.until(`document.querySelector("[data-badge]").textContent === "1 failing"`)

	// A server that fails is not a calm one.
	p.run(chromedp.Evaluate(`window.fetches = window.fetch; window.fetch = async () => new Response("", { status: 503 }); null`, nil))
	p.until(`document.title === "(!) Audit · Botwork"`)
	p.run(chromedp.Evaluate(`window.fetch = window.fetches; null`, nil))
	p.until(`document.title === "(1) Audit · Botwork"`)
}

// TestBrowserPrint looks at pages as they are printed from a dark window: no bars, no buttons, dark on white.
func TestBrowserPrint(t *testing.T) {
	x := newProject(t)
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-%d", "payload": {"invoice": "INV-%d", "amount": %d}}`, i, i, i))
	}
	ids := x.enqueue(lines...)
	p := x.browser().as("admin")
	dir := artefacts(t)
	for _, path := range []string{"/", "/items", fmt.Sprintf("/items/%d", ids[0]), "/queues/orders", "/audit"} {
		p.size(794, "dark")
		p.open(path)
		p.until(`document.readyState === "complete"`)
		p.run(emulation.SetEmulatedMedia().WithMedia("print").WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
		var got struct {
			Shown           []string
			Ground, Ink     string
			Title, When     bool
			Wide            float64
			Plain, Scrolled []string
		}
		p.run(chromedp.Evaluate(`(() => {
			const texts = (list) => list.map((e) => e.tagName + " " + e.className + " " + e.textContent.trim().slice(0, 40));
			return {
				Shown: texts([...document.querySelectorAll("nav, button, summary.button, input, select, .find, .live, .seg, dialog")].filter((e) => e.checkVisibility())),
				Ground: getComputedStyle(document.body).backgroundColor, Ink: getComputedStyle(document.body).color,
				Title: document.querySelector("h1").checkVisibility(), When: document.querySelector(".printed").checkVisibility(),
				Wide: document.documentElement.scrollWidth - innerWidth,
				Plain: texts([...document.querySelectorAll("main td a[href]")].filter((e) => e.checkVisibility() && !getComputedStyle(e).textDecorationLine.includes("underline"))).slice(0, 5),
				Scrolled: texts([...document.querySelectorAll("main .card, main .scroll, main pre")].filter((e) => e.checkVisibility() && getComputedStyle(e).overflowX !== "visible")),
			};
		})()`, &got))
		if len(got.Shown) > 0 || !got.Title || !got.When {
			t.Errorf("%s prints %q; title %t, time %t", path, got.Shown, got.Title, got.When)
		}
		if got.Ground != "rgb(255, 255, 255)" || got.Ink != "rgb(0, 0, 0)" {
			t.Errorf("%s prints %s on %s", path, got.Ink, got.Ground)
		}
		if got.Wide > 0 || len(got.Plain) > 0 || len(got.Scrolled) > 0 {
			t.Errorf("%s is %v pixels too wide; links that look like text: %q; boxes that scroll: %q", path, got.Wide, got.Plain, got.Scrolled)
		}
		var picture, paper []byte
		p.run(chromedp.FullScreenshot(&picture, 100), chromedp.ActionFunc(func(ctx context.Context) (err error) {
			paper, _, err = page.PrintToPDF().Do(ctx)
			return err
		}))
		if len(paper) < 5000 {
			t.Errorf("%s prints %d bytes", path, len(paper))
		}
		name := filepath.Base("/x" + path)
		if err := os.WriteFile(filepath.Join(dir, "print-"+name+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
