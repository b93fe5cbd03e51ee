//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe returns the text of the accessibility checker. A machine without it, but with a browser,
// shows the pages unchecked.
var axe = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	return string(text), err
})

// violation is a rule that a page breaks.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Failure string `json:"failureSummary"`
	} `json:"nodes"`
}

// accessible fails if the page has a serious or critical fault for people who use a keyboard or a
// screen reader, or who see colours badly.
func (p *tab) accessible(what string) {
	p.Helper()
	text, err := axe()
	if err != nil {
		p.Fatalf("%v; run npm ci in internal/tests/browsertest", err)
	}
	// Evaluated by the debugger, it is not bound by the policy of the pages. A page that is checked in
	// several sizes and themes has it already.
	var loaded bool
	p.run(chromedp.Evaluate(`Boolean(window.axe)`, &loaded))
	if !loaded {
		p.run(chromedp.Evaluate(text+"; true", nil))
	}
	var found []violation
	p.run(
		chromedp.Evaluate(`axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations.filter((v) => v.impact === "serious" || v.impact === "critical"))`,
			&found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }),
	)
	for _, v := range found {
		nodes := ""
		for _, n := range v.Nodes[:min(len(v.Nodes), 4)] {
			nodes += fmt.Sprintf("\n  %.300s\n    %.400s", n.HTML, n.Failure)
		}
		p.Errorf("%s: %s: %s (%s), %d places%s", what, v.Impact, v.Help, v.ID, len(v.Nodes), nodes)
	}
}

// The checker itself finds what it should.
func TestBrowserCheckerFindsFaults(t *testing.T) {
	readSources(t)
	if _, err := axe(); err != nil {
		t.Fatal(err)
	}
	recorder := &testing.T{}
	p := (&browser{t: t, ctx: startBrowser(t)}).tab()
	p.run(chromedp.Navigate(`data:text/html,<html><body><button></button><input></body></html>`))
	p.T = recorder
	p.accessible("a page with faults")
	if !recorder.Failed() {
		t.Error("a button without a name is no fault")
	}
}
