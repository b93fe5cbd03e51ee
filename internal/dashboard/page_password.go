package dashboard

import (
	"errors"
	"net/http"
)

// passwordPage is the form by which people change their passwords.
type passwordPage struct {
	HasPassword bool `json:"hasPassword"`
	Session     struct {
		SignedInBy string `json:"signedInBy"`
	} `json:"session"`

	Failed string // why the last change was refused
}

func (d *Dashboard) showPassword(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Password", "settings"
	var v passwordPage
	if _, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &v); err != nil {
		return "", err
	}
	p.Data = v
	return "password", nil
}

// changePassword changes the password of the person, whose other sessions end.
func (d *Dashboard) changePassword(w http.ResponseWriter, r *http.Request) {
	const maxForm = 8 << 10
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	p := &page{Path: "/password", Version: d.version, Name: d.name, Title: "Password", Section: "settings"}
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, p, &problem{Status: http.StatusBadRequest, Detail: "the form cannot be read"})
		return
	}
	if _, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller); err != nil {
		d.refuse(w, r, p, err)
		return
	}
	header, err := d.sendPassword(r, p.Caller.Name)
	var refused *problem
	switch {
	case err == nil:
		for _, cookie := range header.Values("Set-Cookie") {
			w.Header().Add("Set-Cookie", cookie)
		}
		redirectWith(w, r, "/settings", &notice{Text: "Your password is changed, and your other sessions have ended"})
	case errors.As(err, &refused) && refused.Status != http.StatusUnauthorized && refused.Status < http.StatusInternalServerError:
		if after := header.Get("Retry-After"); after != "" {
			w.Header().Set("Retry-After", after)
		}
		p.Data = passwordPage{HasPassword: refused.Code != "no-password", Failed: refused.Error()}
		d.addStanding(r, p)
		d.render(w, refused.Status, "password", p)
	default:
		d.refuse(w, r, p, err)
	}
}

func (d *Dashboard) sendPassword(r *http.Request, name string) (http.Header, error) {
	form := r.PostForm
	if form.Get("password") != form.Get("again") {
		return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: "the two new passwords differ"}
	}
	body := map[string]string{"name": name, "present": form.Get("present"), "password": form.Get("password")}
	return d.ask(r, http.MethodPost, "/auth/password", nil, body, nil)
}
