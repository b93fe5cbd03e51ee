package dashboard

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

//go:embed templates
var templateFiles embed.FS

// frame is the template of what surrounds each page.
const frame = "frame.html"

// pages are the templates by the names of their files, without the extension.
type pages map[string]*template.Template

func loadPages(files *assets) (pages, error) {
	base, err := template.New(frame).Funcs(functions(files)).ParseFS(templateFiles, "templates/"+frame, "templates/parts.html")
	if err != nil {
		return nil, err
	}
	list, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	all := pages{}
	for _, f := range list {
		name := strings.TrimSuffix(f.Name(), path.Ext(f.Name()))
		if f.Name() == frame || name == "parts" || strings.Contains(name, "_") {
			continue
		}
		t, err := base.Clone()
		if err != nil {
			return nil, err
		}
		patterns := []string{"templates/" + f.Name()}
		if parts := "templates/" + name + "_*.html"; hasFiles(parts) {
			patterns = append(patterns, parts)
		}
		if all[name], err = t.ParseFS(templateFiles, patterns...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// hasFiles reports whether a page has parts of its own: item_life.html is a part of item.html.
func hasFiles(pattern string) bool {
	found, err := fs.Glob(templateFiles, pattern)
	return err == nil && len(found) > 0
}

// caller is who looks at the page.
type caller struct {
	Name   string   `json:"name"`
	Role   string   `json:"role"`
	Queues []string `json:"queues"`

	ReadOnly bool `json:"readOnly"` // the server is, so the role is viewer
	Inline   bool `json:"inline"`   // may create items with a whole pipeline
}

// MayCopy reports whether the person may create an item with the pipeline of another one.
func (c caller) MayCopy(it *item) bool { return c.May("operator") && (c.Inline || !it.Inline()) }

// roleRanks orders the roles of people: each may do what those below it may.
var roleRanks = map[string]int{"viewer": 1, "operator": 2, "editor": 3, "admin": 4}

// May reports whether the person may do what needs at least this role. The API decides again; it
// is what a page offers.
func (c caller) May(role string) bool { return roleRanks[c.Role] >= roleRanks[role] }

// needs returns the refusal of a page on which people with this role change something; nil if the person may.
// The API would refuse what the page sends.
func (c caller) needs(role, what string) error {
	if c.May(role) {
		return nil
	}
	return &problem{Status: http.StatusForbidden, Detail: "the role " + c.Role + " may not " + what}
}

// Everywhere reports whether the person is not bound to queues: the API refuses those who are what is
// about all queues.
func (c caller) Everywhere() bool { return len(c.Queues) == 0 }

// scope returns the queue whose statistics the person sees; "" is all. It returns false for a
// person who is bound to several queues: their statistics are only kept for each of them.
func (c caller) scope() (queue string, ok bool) {
	switch len(c.Queues) {
	case 0:
		return "", true
	case 1:
		return c.Queues[0], true
	}
	return "", false
}

// oneOf returns a queue for requests of a caller that must name one; "" for those that need not.
func (c caller) oneOf(queue string) string {
	if c.Everywhere() {
		return ""
	}
	return queue
}

// page is what the frame shows, and the data of the page in it.
type page struct {
	Title   string
	Section string  // of the navigation: overview, items, …
	Live    string  // the topics of events after which the page asks for itself again; "": none
	Follow  []int64 // items whose every change is news; at most 20
	Calm    bool    // what happens to other items is less urgent
	Again   bool    // something of the page is not there yet
	Bare    bool    // without navigation: nobody is signed in
	Failing *int    // what needs attention now, for the title and the icon; nil: the standing that all pages share
	Broken  bool    // the server has failed
	Nonce   string  // of style elements that a script of the page adds; "": there are none

	At   time.Time // when the page was made
	Pace int64     // the least time in milliseconds between two requests of an open page
	Own  int64     // likewise, if an item that it follows has changed
	Old  int64     // how old in milliseconds an answer may be that the page has got

	Caller  caller
	Path    string // with its query
	Version string
	Name    string
	Notice  *notice
	Cookies []*http.Cookie // to set
	Data    any
}

// Mark is the number before the title: what is failing now; 0: no number.
func (p *page) Mark() int {
	if p.Failing == nil {
		return 0
	}
	return *p.Failing
}

// Icon returns the file of the icon. It has a mark if something is failing.
func (p *page) Icon() string {
	if p.Broken || p.Mark() > 0 {
		return "icon-failing.svg"
	}
	return "icon.svg"
}

// With returns the address of the page with another value of one parameter; "": without it.
func (p *page) With(name, value string) string {
	path, query, _ := strings.Cut(p.Path, "?")
	q, err := url.ParseQuery(query)
	if err != nil {
		return path
	}
	q.Del(name)
	if value != "" {
		q.Set(name, value)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// handler makes the page of a request. It returns the name of its template.
type handler func(r *http.Request, p *page) (template string, err error)

// show adds a page for people who are signed in.
func (d *Dashboard) show(pattern string, h handler) {
	d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		p := &page{Path: r.URL.RequestURI(), Version: d.version, Name: d.name}
		if _, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller); err != nil {
			d.refuse(w, r, p, err)
			return
		}
		p.Notice = noticeOf(r)
		d.pace.note(r.Header.Get(renewHeader))
		name, err := h(r, p)
		if to, ok := errors.AsType[*redirect](err); ok {
			redirectWith(w, r, to.to, to.notice)
			return
		}
		if err != nil {
			d.refuse(w, r, p, err)
			return
		}
		for _, c := range p.Cookies {
			http.SetCookie(w, c)
		}
		if p.Failing == nil {
			d.addStanding(r, p)
		}
		d.render(w, http.StatusOK, name, p)
	})
}

// addStanding adds the standing to a page, which is there without it, too.
func (d *Dashboard) addStanding(r *http.Request, p *page) {
	s, err := d.standing(r, p.Caller)
	if err != nil {
		d.log.Debug().Err(err).Msg("could not read what needs attention")
		return
	}
	p.Failing = &s.Failing
}

// answerTo adds a form whose answer is a page of its own, such as one with what is shown only once.
func (d *Dashboard) answerTo(pattern string, h handler) {
	const maxForm = 64 << 10
	d.answerToForm(pattern, maxForm, h)
}

// answerToForm is answerTo with a bound of the form in bytes.
func (d *Dashboard) answerToForm(pattern string, maxForm int64, h handler) {
	d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		p := &page{Path: r.URL.RequestURI(), Version: d.version, Name: d.name}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			d.refuse(w, r, p, &problem{Status: http.StatusBadRequest, Detail: "the form cannot be read"})
			return
		}
		name, err := "", error(nil)
		if _, err = d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller); err == nil {
			name, err = h(r, p)
		}
		d.forgetAnswers()
		if to, ok := errors.AsType[*redirect](err); ok {
			redirectWith(w, r, to.to, to.notice)
			return
		}
		if err != nil {
			d.refuse(w, r, p, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		d.addStanding(r, p)
		d.render(w, http.StatusOK, name, p)
	})
}

// render sends a page. It is made before anything is sent, so a fault in it leaves no half page.
func (d *Dashboard) render(w http.ResponseWriter, status int, name string, p *page) {
	var text bytes.Buffer
	p.At, p.Pace, p.Own, p.Old = time.Now(), d.pace.between().Milliseconds(), d.pace.between().Milliseconds(), d.pace.slowFor().Milliseconds()
	if p.Calm {
		p.Pace, p.Own = d.pace.calm().Milliseconds(), d.pace.own().Milliseconds()
	}
	if err := d.pages[name].ExecuteTemplate(&text, frame, p); err != nil {
		d.log.Error().Err(err).Str("page", name).Msg("could not make a page")
		http.Error(w, "the page could not be made; the server's log has the details", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if p.Notice != nil {
		http.SetCookie(w, newNoticeCookie("", -1))
	}
	if p.Nonce != "" {
		w.Header().Set("Content-Security-Policy", policy("'nonce-"+p.Nonce+"'"))
	}
	w.WriteHeader(status)
	if _, err := w.Write(spellDirections(text.Bytes())); err != nil {
		d.log.Debug().Err(err).Str("page", name).Msg("could not send a page")
	}
}

// refuse shows why there is no page. A person who is not signed in is sent to the sign-in.
func (d *Dashboard) refuse(w http.ResponseWriter, r *http.Request, p *page, err error) {
	var refused *problem
	if !errors.As(err, &refused) {
		d.log.Error().Err(err).Str("path", r.URL.Path).Msg("page failed")
		refused = &problem{Status: http.StatusInternalServerError, Detail: "the server has failed; its log has the details"}
	}
	if refused.Status == http.StatusUnauthorized {
		to := r.URL.RequestURI()
		if r.Method != http.MethodGet {
			to = "/"
		}
		http.Redirect(w, r, "/sign-in?"+values("to", to).Encode(), http.StatusSeeOther)
		return
	}
	p.Title, p.Data, p.Live = http.StatusText(refused.Status), refused, ""
	p.Broken = refused.Status >= http.StatusInternalServerError
	p.Bare = p.Caller.Name == ""
	if !p.Bare && !p.Broken {
		d.addStanding(r, p)
	}
	d.render(w, refused.Status, "problem", p)
}

// unknown answers for paths without a page.
func (d *Dashboard) unknown(r *http.Request, _ *page) (string, error) {
	return "", &problem{Status: http.StatusNotFound, Detail: fmt.Sprintf("there is no page %.200q", r.URL.Path)}
}

// act adds a change that a form of a page makes. It returns what to say about it; the browser
// goes back to the page of the form, so a reload does not repeat the change.
func (d *Dashboard) act(pattern string, change func(r *http.Request) (done, back string, err error)) {
	const maxForm = 1 << 20
	d.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			d.refuse(w, r, &page{Version: d.version}, &problem{Status: http.StatusBadRequest, Detail: "the form cannot be read"})
			return
		}
		done, back, err := change(r)
		d.forgetAnswers()
		if asked := r.PostForm.Get("back"); isLocal(asked) {
			back = asked
		}
		var refused *problem
		switch {
		case err == nil:
			redirectWith(w, r, back, &notice{Text: done, Undo: undoOf(r.URL.EscapedPath())})
		case errors.As(err, &refused) && refused.Status != http.StatusUnauthorized && refused.Status < 500:
			redirectWith(w, r, back, &notice{Text: refused.Error(), Bad: true})
		default:
			d.refuse(w, r, &page{Version: d.version}, err)
		}
	})
}

// isLocal reports whether an address is a path of this server: a link of another site must not
// lead away from it.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") && !strings.Contains(address, `\`)
}
