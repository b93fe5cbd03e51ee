package dashboard

import (
	"net/http"
	"time"
)

// serverSettings are the settings of the server, without secrets.
type serverSettings struct {
	Version  string `json:"version"`
	File     string `json:"file"`
	Database string `json:"database"`
	URL      string `json:"url"`
	Listen   string `json:"listen"`
	TLS      bool   `json:"tls"`
	Issuer   string `json:"issuer"`
	Project  bool   `json:"project"`
	Metrics  bool   `json:"metrics"`
	Limits   struct {
		BodyBytes int64 `json:"bodyBytes"`
		Requests  int64 `json:"requests"`
		Waiting   int64 `json:"waiting"`
		PerSecond int64 `json:"perSecond"`
	} `json:"limits"`
	Hooks   []string `json:"hooks"`
	Rules   []string `json:"rules"`
	Targets []target `json:"targets"`
}

type settingsPage struct {
	Session struct {
		SignedInBy string    `json:"signedInBy"`
		CreatedAt  time.Time `json:"createdAt"`
		IdleUntil  time.Time `json:"idleUntil"`
		ExpiresAt  time.Time `json:"expiresAt"`
	}
	Now    time.Time       // by the database's clock
	Server *serverSettings // nil: the person may not see them
}

func (d *Dashboard) showSettings(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Settings", "settings"
	var v settingsPage
	var version struct {
		Now time.Time `json:"now"`
	}
	ask := d.asking(r)
	ask.get("/auth/session", nil, &v)
	ask.get("/version", nil, &version)
	ask.optional("/settings", nil, &v.Server)
	if err := ask.wait(); err != nil {
		return "", err
	}
	v.Now = version.Now
	p.Data = v
	return "settings", nil
}

// signOutEverywhere ends all sessions of the person, this one too.
func (d *Dashboard) signOutEverywhere(w http.ResponseWriter, r *http.Request) {
	d.leave(w, r, "/auth/sign-out-everywhere")
}
