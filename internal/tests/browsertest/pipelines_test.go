//go:build unix

package browsertest

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestBrowserPipeline reads a pipeline: its text, what has changed since a worker loaded it before, and
// what a run would do.
func TestBrowserPipeline(t *testing.T) {
	x := newProject(t)
	worker := x.worker("bot-1")
	p := x.browser().as("operator")
	dir := artefacts(t)
	p.open("/pipelines/book-invoice")
	p.see("Versions", "the file", "description: Book one invoice in the ledger")

	x.write("pipelines/book-invoice.yaml", "name: book-invoice"+strings.Replace(projectFiles["book-invoice"], "booked ${{ payload.invoice }}", "it is booked # ${{ payload.invoice }}", 1))
	worker.kill()
	x.worker("bot-1")
	for late := time.Now().Add(patience); ; {
		p.open("/pipelines/book-invoice")
		// The process of the pages may read the file later than the worker does; until then
		// the version before is the one that the worker has loaded last.
		if text := p.text(); strings.Contains(text, "it is booked") && strings.Contains(text, "Changes since") {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("the page does not show the version before:\n%s", p.text())
		}
	}
	p.click("Changes since")
	p.see("+    with: {message: \"it is booked", "-    with: {message: \"booked")
	p.until(`document.querySelector("pre.diff .added") && document.querySelector("table.source .expression")`)
	for name, at := range map[string]string{"text": "table.source", "diff": "pre.diff"} {
		p.run(chromedp.Evaluate(`document.querySelector("`+at+`").scrollIntoView()`, nil))
		p.picture(dir, name)
	}

	p.open("/pipelines/book-invoice")
	p.click("Dry run…")
	p.fill("textarea[name=payload]", `{"invoice": "INV-1", "amount": -5}`)
	p.click("Show what a run would do")
	p.see("the amount of INV-1 is negative")
	p.picture(dir, "dry-run")
}
