//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"botwork/internal/testgroup"
)

// shown is a page and the name of its pictures.
type shown struct{ name, path string }

// pagesOf lists all pages. item is one that is worth a look in the state; 0: there is none.
func pagesOf(item int64) []shown {
	pages := []shown{
		{"overview", "/"}, {"items", "/items"}, {"failures", "/failures"}, {"queues", "/queues"}, {"queues-cards", "/queues?view=cards"}, {"queue", "/queues/orders"}, {"policy", "/queues/orders/policy"}, {"workers", "/workers"}, {"worker", "/workers/bot-1"},
		{"pipelines", "/pipelines"}, {"pipeline", "/pipelines/book-invoice"}, {"schedules", "/schedules"},
		{"pipeline-system", "/pipelines/nightly-close"}, {"dry-run", "/pipelines/book-invoice/dry-run"}, {"backfill", "/pipelines/nightly-close/backfill?from=2026-01-31&to=2026-02-03"}, {"tasks", "/tasks"}, {"audit", "/audit"},
		{"enqueue", "/enqueue"}, {"not-found", "/nowhere"},
		{"runs-failed", "/schedules?failed=1"}, {"day", "/schedules/day"}, {"calendar", "/schedules/calendar"},
		{"editor", "/pipelines/book-invoice/edit"}, {"editor-new", "/pipelines/refund/edit?new=1"}, {"forecast", "/forecast"}, {"what-if", "/forecast?add=2&slots=4&arrivals=50&hours=24&meet=1"},
		{"escalations", "/escalations"}, {"doctor", "/doctor"}, {"settings", "/settings"}, {"tokens", "/access"}, {"users", "/access/users"}, {"sessions", "/access/users/admin/sessions"},
	}
	if item != 0 {
		pages = append(pages, shown{"item", fmt.Sprintf("/items/%d", item)}, shown{"change-all", "/items/actions/cancel?queue=orders"},
			shown{"clone", fmt.Sprintf("/enqueue?from=%d", item)}, shown{"change", fmt.Sprintf("/change/%d", item)}, shown{"change-selected", fmt.Sprintf("/items/selected?action=repeat&id=%d&id=%d&id=99999", item, item+1)})
	}
	return append(pages, shown{"notifications", "/notifications"})
}

// gallerySettings have what the usual ones lack: rules, notifications and tasks.
const gallerySettings = `
queues:
  orders:
    description: Invoices and orders of the shop
    limits: {concurrency: 8, rate: 600/1m}
    escalation:
      - {name: late, after: 10m, raise: {by: 100, to: 1500, every: 10m}}
      - {name: overflow, when: length > 500, moveTo: mail, keep: 500}
      - {name: slow, when: oldest > 1h, notify: true}
  mail:
    description: Letters to customers
    retain: 30d
    escalation:
      - {name: give-up, after: 1d, cancel: true}
tasks:
  close-books:
    pipeline: book-invoice
    queue: orders
    topic: books
    description: Close the books of each branch
    importance: high
    schedule: {execute: monthly, startAt: 25, startTolerance: 5, timezone: Europe/Lisbon}
    scope: [lisbon, porto, faro]
  on-request: {pipeline: send-letter, queue: mail, importance: low}
notifications:
  targets:
    chat: {kind: webhook, url: "http://127.0.0.1:9/none"}
  rules:
    failures: {event: item-cancelled, targets: [chat], groupBy: [queue], repeat: 1h}
    dead: {event: no-worker, targets: [chat], wait: 5m, urgent: true}
`

// newGallery makes a project with past runs, users and tokens, and with gallerySettings.
func newGallery(t *testing.T) *project {
	t.Helper()
	x := newProjectWith(t, gallerySettings, "BOTWORK_HTTP_EDIT=true")
	for name, text := range calendarFiles {
		x.write("pipelines/"+name+".yaml", "name: "+name+"\n"+text+"steps:\n  - {name: say, handler: Log, with: {message: x}}\n")
	}
	x.must("tasks", "define")
	x.history(time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1))
	x.must("users", "create", "ada", "--role", "operator", "--queue", "orders", "--queue", "mail")
	x.must("users", "create", "grace", "--role", "viewer")
	x.must("users", "disable", "grace", "--reason", "has left")
	x.must("tokens", "create", "erp", "--role", "operator")
	x.must("tokens", "create", "scanner", "--role", "robot", "--queue", "mail", "--expires", "30d")
	return x
}

// TestBrowserGallery shows every page in every state, size and theme: nothing overlaps the window, the
// accessibility checker finds nothing serious, and the pictures are kept for people to look at.
func TestBrowserGallery(t *testing.T) {
	t.Run("empty", func(t *testing.T) {
		x := newProject(t)
		b := x.browser()
		p := b.tab()
		p.open("/sign-in")
		p.see("Sign in to Botwork")
		p.picture(artefacts(t), "sign-in")
		gallery(b.as("admin"), 0)
	})
	t.Run("busy", func(t *testing.T) {
		x := newGallery(t)
		x.worker("bot-1")
		x.worker("bot-2")
		var lines []string
		for i := range 40 {
			lines = append(lines, fmt.Sprintf(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-%d", "priority": %d, "tags": ["eu"], "payload": {"invoice": "INV-%d", "amount": %d, "lines": [{"sku": "tea", "count": 2}, {"sku": "coffee", "count": 1}], "customer": {"name": "Ada", "vip": true}}}`, 20000+i, 500+25*i, 20000+i, 10*i))
		}
		ids := x.enqueue(lines...)
		for range 3 {
			_, letGo := x.hold()
			t.Cleanup(letGo)
		}
		p := x.browser().as("admin")
		p.open("/items?status=running")
		p.until(`document.querySelector("main").innerText.includes("3 items")`)
		p.open("/items?status=succeeded")
		p.until(`document.querySelector("main").innerText.includes("40 items")`)
		picture := artefacts(t)
		p.open("/items")
		p.click("More filters…")
		p.picture(picture, "items-filters")
		p.open("/items")
		p.run(chromedp.Click(`input[name=id]`, chromedp.ByQuery))
		p.see("1 selected")
		p.picture(picture, "items-selected")
		p.size(1440, "light")
		p.open("/items?status=succeeded&sort=-priority")
		p.click("Views…")
		p.fill("[data-views] input", "Done, the most urgent first")
		p.click("Save")
		p.see("Done, the most urgent first")
		p.picture(picture, "items-views")
		p.examine()
		x.enqueue(`{"pipeline": "send-letter", "queue": "mail", "in": "2h", "payload": {"to": "ada"}}`, `{"pipeline": "send-letter", "queue": "mail", "selectors": ["gpu = true"], "payload": {"to": "bob"}}`)
		gallery(p, ids[0])
	})
	t.Run("failing", func(t *testing.T) {
		x := newGallery(t)
		lost := x.worker("bot-1")
		var lines []string
		for i := range 12 {
			lines = append(lines, fmt.Sprintf(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-%d", "payload": {"invoice": "INV-%d", "amount": %d, "ledger": "down"}}`, 30000+i, 30000+i, 10*i))
		}
		lines = append(lines, `{"pipeline": "book-invoice", "queue": "orders", "payload": {"invoice": "INV-9", "amount": -1}}`, `{"pipeline": "send-letter", "queue": "mail", "payload": {"to": "ada", "printer": "jammed"}}`)
		ids := x.enqueue(lines...)
		p := x.browser().as("admin")
		p.open("/items?status=retry")
		p.until(`document.querySelector("main").innerText.includes("1 item")`)
		lost.kill()
		x.must("queues", "pause", "mail", "--reason", "no paper")
		x.enqueue(lines[0], lines[len(lines)-1])
		p.open("/")
		p.see("Queue mail is paused", "Worker bot-1 is lost")
		p.examine()
		gallery(p, ids[len(ids)-1])
	})
}

func gallery(p *tab, item int64) {
	p.Helper()
	dir := artefacts(p.T)
	for _, page := range pagesOf(item) {
		p.size(1440, "light")
		p.open(page.path)
		p.until(`document.querySelector("main h1, h1, main h2") && document.readyState === "complete" && !document.querySelector("[data-again]")`)
		p.picture(dir, page.name)
	}
}

// examine shows what the doctor finds.
func (p *tab) examine() {
	p.Helper()
	p.size(1440, "light")
	p.open("/doctor")
	p.click("Examine")
	p.see("Not made")
	p.picture(artefacts(p.T), "doctor-findings")
}

// picture makes pictures of the page, and judges it in each theme: in a nightly run in all sizes and
// themes, else in one.
func (p *tab) picture(dir, name string) {
	p.Helper()
	themes, widths := []string{"light"}, []int64{1440}
	if testgroup.Asked(testgroup.Nightly) {
		themes, widths = []string{"light", "dark"}, []int64{1440, 1024, 390}
	}
	for _, theme := range themes {
		for _, width := range widths {
			p.size(width, theme)
			what := fmt.Sprintf("%s, %d pixels, %s", name, width, theme)
			var wide float64
			var picture []byte
			p.run(chromedp.Evaluate(`document.documentElement.scrollWidth - innerWidth`, &wide), chromedp.CaptureScreenshot(&picture))
			if wide > 0 {
				var widest string
				p.run(chromedp.Evaluate(`[...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest(".scroll *, .card *, svg *")).map((e) => e.tagName + "." + e.className).slice(0, 8).join(", ")`, &widest))
				p.Errorf("%s: the page is %v pixels wider than its window: %s", what, wide, widest)
			}
			file := filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", strings.ReplaceAll(name, "/", "-"), width, theme))
			if err := os.WriteFile(file, picture, 0o644); err != nil {
				p.Fatal(err)
			}
			if width != 1024 {
				p.accessible(what)
			}
		}
	}
}
