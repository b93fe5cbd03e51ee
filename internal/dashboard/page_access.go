package dashboard

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"botwork/workqueue/access"
)

// accessPage shows the tokens or the users, and a secret that was just made.
type accessPage struct {
	Users  []access.User
	Tokens []access.Token
	More   string // the address of the next page
	Now    time.Time

	Secret *secret
}

// secret is shown once, in the answer to the form that made it.
type secret struct {
	Title, Says, Text string
}

// Expired reports whether a token is not valid any more.
func (v accessPage) Expired(t access.Token) bool {
	return t.ExpiresAt != nil && t.ExpiresAt.Before(v.Now)
}

func (d *Dashboard) listTokens(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Tokens", "access"
	var tokens list[access.Token]
	if _, err := d.ask(r, http.MethodGet, "/tokens", values("after", r.URL.Query().Get("after"), "limit", "100"), nil, &tokens); err != nil {
		return "", err
	}
	p.Data = accessPage{Tokens: tokens.Items, More: nextPage(r, tokens.Next), Now: time.Now()}
	return "tokens", nil
}

func (d *Dashboard) listUsers(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Users", "access"
	var users list[access.User]
	if _, err := d.ask(r, http.MethodGet, "/users", values("after", r.URL.Query().Get("after"), "limit", "100"), nil, &users); err != nil {
		return "", err
	}
	p.Data = accessPage{Users: users.Items, More: nextPage(r, users.Next), Now: time.Now()}
	return "users", nil
}

// createToken shows the text of the new token: no address has it, and no list shows it again.
func (d *Dashboard) createToken(r *http.Request, p *page) (string, error) {
	form := r.PostForm
	body := map[string]any{"name": form.Get("name"), "role": form.Get("role"), "queues": words(form.Get("queues")), "reason": form.Get("reason")}
	if length := strings.TrimSpace(form.Get("expiresIn")); length != "" {
		body["expiresIn"] = length
	}
	var made struct {
		access.Token
		Text string `json:"token"`
	}
	if _, err := d.ask(r, http.MethodPost, "/tokens", nil, body, &made); err != nil {
		return "", err
	}
	p.Title, p.Section = "Token "+made.Name, "access"
	p.Data = accessPage{Secret: &secret{"Token " + made.Name + " was created", "Copy it now: it is not shown again, and only its hash is stored.", made.Text}}
	return "tokens", nil
}

func (d *Dashboard) createUser(r *http.Request, p *page) (string, error) {
	form := r.PostForm
	body := map[string]any{"name": form.Get("name"), "role": form.Get("role"), "queues": words(form.Get("queues")), "reason": form.Get("reason")}
	var made access.User
	if _, err := d.ask(r, http.MethodPost, "/users", nil, body, &made); err != nil {
		return "", err
	}
	return d.linkTo(r, p, made.Name, "User "+made.Name+" was created")
}

// linkUser shows a link that signs a user in.
func (d *Dashboard) linkUser(r *http.Request, p *page) (string, error) {
	name := r.PathValue("user")
	return d.linkTo(r, p, name, "Sign-in link of "+name)
}

func (d *Dashboard) linkTo(r *http.Request, p *page, name, title string) (string, error) {
	var link struct {
		URL       string `json:"url"`
		ExpiresIn string `json:"expiresIn"`
	}
	if _, err := d.ask(r, http.MethodPost, "/users/"+segment(name)+"/link", nil, reasonOf(r), &link); err != nil {
		return "", err
	}
	p.Title, p.Section = title, "access"
	p.Data = accessPage{Secret: &secret{title, "A person who opens this link signs in as " + name + ". It works once, within " + link.ExpiresIn + ", and is not shown again.", link.URL}}
	return "users", nil
}

func (d *Dashboard) revokeToken(r *http.Request) (done, back string, err error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return "", "/access", &problem{Status: http.StatusNotFound, Detail: "there is no such token"}
	}
	_, err = d.ask(r, http.MethodDelete, "/tokens/"+strconv.FormatInt(id, 10), nil, reasonOf(r), nil)
	return "Token " + strconv.FormatInt(id, 10) + " is revoked", "/access", err
}

func (d *Dashboard) changeUser(r *http.Request) (done, back string, err error) {
	name, action := r.PathValue("user"), r.PathValue("action")
	texts := map[string]string{"disable": name + " is locked out, and all sessions have ended", "enable": name + " can sign in again", "sign-out": "All sessions of " + name + " have ended"}
	if texts[action] == "" {
		return "", "/access/users", &problem{Status: http.StatusNotFound, Detail: "there is no such action of a user"}
	}
	_, err = d.ask(r, http.MethodPost, "/users/"+segment(name)+"/"+action, nil, reasonOf(r), nil)
	return texts[action], "/access/users", err
}

// setUser changes the role and the queues of a user.
func (d *Dashboard) setUser(r *http.Request) (done, back string, err error) {
	name, form := r.PathValue("user"), r.PostForm
	body := reasonOf(r)
	body["role"], body["queues"] = form.Get("role"), append([]string{}, words(form.Get("queues"))...)
	_, err = d.ask(r, http.MethodPatch, "/users/"+segment(name), nil, body, nil)
	return name + " has the role " + form.Get("role") + " now, and signs in again", "/access/users", err
}

// sessionsPage has the sessions of a user that have not ended.
type sessionsPage struct {
	User     string
	Sessions []access.Session
	More     string // the address of the next page
}

func (d *Dashboard) listSessions(r *http.Request, p *page) (string, error) {
	name := r.PathValue("user")
	p.Title, p.Section = "Sessions of "+name, "access"
	var sessions list[access.Session]
	query := values("after", r.URL.Query().Get("after"), "limit", "100")
	if _, err := d.ask(r, http.MethodGet, "/users/"+segment(name)+"/sessions", query, nil, &sessions); err != nil {
		return "", err
	}
	p.Data = sessionsPage{name, sessions.Items, nextPage(r, sessions.Next)}
	return "sessions", nil
}

// words splits a list that was entered with commas or spaces.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}
