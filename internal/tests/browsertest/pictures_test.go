//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"

	"botwork/workqueue/sqlstore"
)

// picturesVariable names the folder for the pictures of README and docs; see `make pictures`.
const picturesVariable = "BOTWORK_PICTURES"

// TestBrowserPictures makes the pictures of README and docs: the overview of the quickstart, and pages of a
// project in which items wait, run and have failed.
func TestBrowserPictures(t *testing.T) {
	dir := os.Getenv(picturesVariable)
	if dir == "" {
		dir = artefacts(t)
	}
	take := func(p *tab, name string) {
		p.Helper()
		var picture []byte
		p.run(chromedp.EmulateViewport(1200, 760), chromedp.CaptureScreenshot(&picture))
		if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
			p.Fatal(err)
		}
	}

	p := quickstart(t).browser().as("admin")
	p.open("/items?status=business-error")
	p.until(`document.querySelectorAll("main tbody tr").length >= 1`)
	p.open("/items?status=succeeded")
	p.until(`document.querySelectorAll("main tbody tr").length >= 4`)
	p.open("/")
	p.see("Needs attention", "sales-report")
	take(p, "overview")

	x := newProject(t, "BOTWORK_HTTP_EDIT=true")
	x.worker("bot-1")
	x.worker("bot-2")
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-%d", "priority": %d, "payload": {"invoice": "INV-%d", "amount": %d, "customer": {"name": "Ada"}}}`, 20000+i, 500+25*i, 20000+i, 10*i))
	}
	ids := x.enqueue(lines...)
	failed := x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-9", "payload": {"invoice": "INV-9", "amount": 12, "ledger": "down"}}`)[0]
	x.enqueue(`{"pipeline": "send-letter", "queue": "mail", "in": "2h", "payload": {"to": "ada"}}`)
	for range 3 {
		_, letGo := x.hold()
		t.Cleanup(letGo)
	}
	p = x.browser().as("admin")
	p.open("/items?status=running")
	p.until(`document.querySelector("main").innerText.includes("3 items")`)
	p.open(fmt.Sprintf("/items/%d", failed))
	p.see("HTTP 503 from ledger.example")
	take(p, "item")
	p.open(fmt.Sprintf("/items/%d", ids[0]))
	p.until(`document.querySelector("main .head .chip").innerText.includes("Succeeded")`)
	p.open("/items")
	p.see("INV-20000")
	take(p, "items")
	p.open("/workers")
	p.see("bot-2")
	take(p, "workers")
	p.open("/pipelines/book-invoice")
	p.see("Book one invoice in the ledger")
	take(p, "pipeline")
	p.open("/pipelines/book-invoice/edit")
	p.until(`document.querySelector(".cm-content") && document.querySelector("#edit-graph img")?.complete`)
	p.see("no errors")
	take(p, "editor")
}

// quickstart runs `botwork demo`.
func quickstart(t *testing.T) *project {
	t.Helper()
	readSources(t)
	x := &project{T: t, dir: t.TempDir()}
	x.url = x.start(x.command("demo", filepath.Join(x.dir, "quickstart"))).await(regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`))
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: "sqlite", DSN: filepath.Join(x.dir, "botwork.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	x.store = store
	return x
}
