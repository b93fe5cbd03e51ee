package dashboard_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var nonces = regexp.MustCompile(` nonce="[^"]*"`)

// judgeStory checks what holds for each page of the storybook.
func judgeStory(t *testing.T, s story, state storyState, role string, got seen) {
	t.Helper()
	if want := s.want(state, role); got.status != want {
		t.Fatalf("status %d, want %d: %s", got.status, want, got.visible())
	}
	if got.status == http.StatusSeeOther {
		return
	}
	judge(t, s.path, got)
	judgeNesting(t, got.text)
	judgeHeadings(t, got)
	judgeTables(t, got)
	text := nonces.ReplaceAllString(got.text, "") // they are random, so one may have such letters
	for _, slip := range []string{"%!", "<no value>", "&lt;no value&gt;", "ZgotmplZ", "NaN", "+Inf", "0001-01-01", "&lt;nil&gt;"} {
		if _, after, found := strings.Cut(text, slip); found {
			t.Errorf("the page has %q before %.100q", slip, after)
		}
	}
	if role == "viewer" {
		judgeRights(t, got)
	}
	if state.hostile {
		judgeAttacked(t, s, got)
	}
}

// judgeNesting checks that each element ends where it should: a browser repairs what does not, and shows
// something else than what was meant.
func judgeNesting(t *testing.T, text string) {
	t.Helper()
	void := strings.Fields("meta link input br hr img wbr col")
	var open []string
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		name, _ := z.TagName()
		switch tag := string(name); {
		case kind == html.StartTagToken && !slices.Contains(void, tag):
			open = append(open, tag)
		case kind == html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tag {
				t.Fatalf("</%s> ends %v", tag, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v are not ended", open)
	}
}

func judgeHeadings(t *testing.T, got seen) {
	t.Helper()
	headings, title := 0, ""
	for _, n := range got.elements() {
		switch {
		case n.Data == "h1":
			headings++
		case n.Data == "title" && n.Parent.Data == "head":
			title = n.FirstChild.Data
		}
		if strings.HasPrefix(n.Data, "h") && len(n.Data) == 2 && n.Data != "hr" && textOf(n) == "" {
			t.Errorf("an empty <%s>", n.Data)
		}
	}
	if headings != 1 {
		t.Errorf("the page has %d first headings, want 1", headings)
	}
	if name, _, ok := strings.Cut(title, " · Botwork"); !ok || name == "" {
		t.Errorf("the title is %q", title)
	}
}

// judgeTables checks that each row has a cell for each column.
func judgeTables(t *testing.T, got seen) {
	t.Helper()
	for _, table := range got.elements() {
		if table.Data != "table" {
			continue
		}
		columns := 0
		for row := range table.Descendants() {
			if row.Data != "tr" {
				continue
			}
			cells := 0
			for cell := range row.ChildNodes() {
				if cell.Data != "td" && cell.Data != "th" {
					continue
				}
				span, err := strconv.Atoi(attr(cell, "colspan"))
				cells += max(span, 1)
				if err != nil && attr(cell, "colspan") != "" {
					t.Errorf("colspan %q", attr(cell, "colspan"))
				}
			}
			if columns == 0 {
				columns = cells
			} else if cells != columns {
				t.Errorf("a row has %d cells, the table %d columns: %s", cells, columns, textOf(row))
			}
		}
	}
}

// judgeRights checks that a viewer is offered no change, and no page that refuses viewers.
func judgeRights(t *testing.T, got seen) {
	t.Helper()
	for _, to := range got.forms() {
		if !slices.Contains([]string{"/sign-out", "/password", "/sign-out-everywhere", "/sign-in", "/seen"}, to) {
			t.Errorf("a viewer can send a form to %s", to)
		}
	}
	pages := http.NewServeMux()
	refuses := map[string]bool{}
	for _, s := range stories {
		if _, known := refuses[s.page]; !known {
			pages.HandleFunc(s.page, http.NotFound)
			refuses[s.page] = s.least != ""
		}
	}
	for _, to := range got.links() {
		u, err := url.Parse(to)
		if err != nil {
			t.Errorf("the link %q: %v", to, err)
			continue
		}
		if _, page := pages.Handler(&http.Request{Method: http.MethodGet, URL: u}); refuses[page] {
			t.Errorf("a viewer is led to %s", to)
		}
	}
}

// judgeAttacked checks that texts of the answers are texts of the page: they make no elements, and are not
// left out.
func judgeAttacked(t *testing.T, s story, got seen) {
	t.Helper()
	shown := false
	for _, n := range got.elements() {
		if n.Data == "script" && !strings.HasPrefix(attr(n, "src"), "/assets/") {
			t.Errorf("a script %q that is not of the page", attr(n, "src"))
		}
		for _, name := range []string{"title", "aria-label", "alt"} {
			if strings.Contains(attr(n, name), "\u202e") {
				t.Errorf("the %s of <%s> turns what follows it around: %q", name, n.Data, attr(n, name))
			}
		}
		for child := range n.ChildNodes() {
			if child.Type == html.TextNode && n.Data != "textarea" && n.Data != "option" && strings.Contains(child.Data, "\u202e") {
				t.Errorf("a text of <%s> turns what follows it around: %q", n.Data, child.Data)
			}
		}
		if attr(n, "id") == "main" {
			shown = strings.Contains(textOf(n)+entered(n), hostileText[:40])
		}
	}
	if !shown && !s.plain && got.status != http.StatusForbidden {
		t.Errorf("the page shows no text of the answers: %.500s", got.visible())
	}
}

// entered returns the texts in the fields of forms in an element.
func entered(n *html.Node) string {
	var all []string
	for d := range n.Descendants() {
		if d.Data == "input" {
			all = append(all, attr(d, "value"))
		}
	}
	return strings.Join(all, " ")
}
