package dashboard

import (
	"errors"
	"net/http"
)

type signInPage struct {
	To     string
	Name   string
	Failed string
	OpenID bool
}

func (d *Dashboard) showSignIn(w http.ResponseWriter, r *http.Request) {
	d.renderSignIn(w, http.StatusOK, signInPage{To: r.URL.Query().Get("to")})
}

func (d *Dashboard) renderSignIn(w http.ResponseWriter, status int, v signInPage) {
	if !isLocal(v.To) {
		v.To = "/"
	}
	v.OpenID = d.openID
	d.render(w, status, "signin", &page{Title: "Sign in", Bare: true, Version: d.version, Name: d.name, Data: v})
}

func (d *Dashboard) signIn(w http.ResponseWriter, r *http.Request) {
	const maxForm = 8 << 10
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	v := signInPage{To: r.PostFormValue("to"), Name: r.PostFormValue("name")}
	header, err := d.ask(r, http.MethodPost, "/auth/sign-in", nil, map[string]string{"name": v.Name, "password": r.PostFormValue("password")}, nil)
	var refused *problem
	switch {
	case err == nil:
		for _, cookie := range header.Values("Set-Cookie") {
			w.Header().Add("Set-Cookie", cookie)
		}
		if !isLocal(v.To) {
			v.To = "/"
		}
		http.Redirect(w, r, v.To, http.StatusSeeOther)
	case errors.As(err, &refused) && refused.Status < 500:
		v.Failed = refused.Error()
		if after := header.Get("Retry-After"); after != "" {
			w.Header().Set("Retry-After", after)
		}
		d.renderSignIn(w, refused.Status, v)
	default:
		d.refuse(w, r, &page{Version: d.version}, err)
	}
}

func (d *Dashboard) signOut(w http.ResponseWriter, r *http.Request) {
	d.leave(w, r, "/auth/sign-out")
}

// leave asks the API to end sessions, this one too, and shows the page to sign in.
func (d *Dashboard) leave(w http.ResponseWriter, r *http.Request, path string) {
	header, err := d.ask(r, http.MethodPost, path, nil, nil, nil)
	if err != nil {
		d.refuse(w, r, &page{Version: d.version}, err)
		return
	}
	for _, cookie := range header.Values("Set-Cookie") {
		w.Header().Add("Set-Cookie", cookie)
	}
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}
