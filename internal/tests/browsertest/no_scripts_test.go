//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestBrowserWithoutScripts reads the pages in a browser that runs no scripts: they say what they show, that times
// are UTC, and do not claim to follow the queue.
func TestBrowserWithoutScripts(t *testing.T) {
	x := newProject(t)
	id := x.enqueue(`{"pipeline": "book-invoice", "queue": "orders", "key": "INV-1", "payload": {"invoice": "INV-1", "amount": 1}}`)[0]
	p := x.browser().as("viewer")
	p.size(1440, "light")
	p.run(emulation.SetScriptExecutionDisabled(true))
	dir := artefacts(t)
	for path, want := range map[string]string{
		"/": "No worker is running", "/items": "INV-1", fmt.Sprint("/items/", id): "no worker is alive", "/queues": "orders", "/queues?view=cards": "ended by hour",
		"/queues/orders": "In progress", "/workers": "No worker is running", "/pipelines": "book-invoice", "/pipelines/book-invoice": "amount", "/schedules": "ExecuteWorkQueue",
		"/failures": "Failures", "/audit": "users.create", "/tasks": "No scheduled tasks",
	} {
		p.open(path)
		text := p.text()
		if !strings.Contains(text, want) || !strings.Contains(text, "Times are UTC") {
			t.Errorf("%s shows neither %q nor the zone of its times: %s", path, want, text)
		}
		for _, not := range []string{"Live", "Connecting…", "Local", "Theme"} {
			if strings.Contains(text, not) {
				t.Errorf("%s shows %q, which needs scripts: %s", path, not, text)
			}
		}
		var picture []byte
		p.run(chromedp.CaptureScreenshot(&picture))
		if err := os.WriteFile(filepath.Join(dir, strings.Trim(strings.NewReplacer("/", "-", "?", "-").Replace(path), "-")+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
