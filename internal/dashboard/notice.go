package dashboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// notice is what a page says about the change that was just made.
type notice struct {
	Text string `json:"text"`
	Bad  bool   `json:"bad,omitempty"`
	Undo string `json:"undo,omitempty"` // where a form that takes the change back is sent; "": nowhere
}

// noticeCookie carries a notice to the page that a browser opens after a change. A parameter of the address
// would not do: a link of anyone could make a page say anything. The cookie is signed with the text of the
// session, which only this browser has, so that another host that can set cookies cannot make one either. It
// names no server, so any server may show the page. The page removes it, so a reload does not repeat it.
const noticeCookie = "botwork-notice"

// noticeAge is how long a browser has time to open the page, in seconds.
const noticeAge = 60

// noticeLen bounds the text of a notice: a browser keeps cookies of about 4,000 bytes.
const noticeLen = 500

// redirectWith sends the browser to a page that shows a notice; nil: none.
func redirectWith(w http.ResponseWriter, r *http.Request, to string, n *notice) {
	if n != nil {
		if runes := []rune(n.Text); len(runes) > noticeLen {
			n.Text = string(runes[:noticeLen]) + "…"
		}
		if value := n.sign(sessionAfter(w, r), to); value != "" {
			c := newNoticeCookie(value, noticeAge)
			c.Secure = r.TLS != nil
			http.SetCookie(w, c)
		}
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func newNoticeCookie(value string, age int) *http.Cookie {
	return &http.Cookie{Name: noticeCookie, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

// noticeOf returns the notice for a page; nil if there is none. An open page that asks for itself again leaves
// it to the page that the browser opens now.
func noticeOf(r *http.Request) *notice {
	c, err := r.Cookie(noticeCookie)
	if err != nil || r.Header.Get(renewHeader) != "" {
		return nil
	}
	text, sum, _ := strings.Cut(c.Value, ".")
	got, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil || !hmac.Equal(got, noticeSum(sessionOf(r), r.URL.EscapedPath(), text)) {
		return nil
	}
	var n notice
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(data, &n) != nil {
		return nil
	}
	return &n
}

// sign returns the value of the cookie for the page at an address; "" if there is no session.
func (n *notice) sign(session, to string) string {
	u, err := url.Parse(to)
	if err != nil || session == "" {
		return ""
	}
	data, err := json.Marshal(n)
	if err != nil {
		return ""
	}
	text := base64.RawURLEncoding.EncodeToString(data)
	return text + "." + base64.RawURLEncoding.EncodeToString(noticeSum(session, u.EscapedPath(), text))
}

// noticeSum returns the signature of a notice for one page.
func noticeSum(session, at, text string) []byte {
	mac := hmac.New(sha256.New, []byte(session))
	mac.Write([]byte("notice\x00" + path.Clean(at) + "\x00" + text))
	return mac.Sum(nil)
}

var sessionCookies = []string{"__Host-botwork_session", "botwork_session"}

// sessionOf returns the text of the session's cookie; "" if there is none. The API decides whether the session
// exists, and which of both cookies counts.
func sessionOf(r *http.Request) string {
	for _, name := range sessionCookies {
		if c, err := r.Cookie(name); err == nil {
			return c.Value
		}
	}
	return ""
}

// sessionAfter returns the text of the session that the browser has after this answer: a change of the
// password begins another one.
func sessionAfter(w http.ResponseWriter, r *http.Request) string {
	answer := http.Response{Header: w.Header()}
	for _, c := range answer.Cookies() {
		if slices.Contains(sessionCookies, c.Name) && c.Value != "" {
			return c.Value
		}
	}
	return sessionOf(r)
}

// undoable are the changes that take another one back.
var undoable = regexp.MustCompile(`^/(items/[0-9]+/repeat|(queues|pipelines)/[^/?#]+/(pause|resume)|workers/[^/?#]+/resume)$`)

// undoOf returns where the form is sent that takes back the change that was made at a path; "": nowhere. The
// archived item may have succeeded: what takes that back for an item that waited would run this one again.
func undoOf(made string) string {
	at := strings.LastIndexByte(made, '/')
	change := made[at+1:]
	undo := inverses[change]
	if to := made[:at+1] + undo; undo != "" && change != "archive" && undoable.MatchString(to) {
		return to
	}
	return ""
}
