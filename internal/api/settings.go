package api

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"botwork/internal/operations"
	"botwork/workqueue/access"
)

// About is what people want to know of a server's settings, besides what the API knows by itself. It has
// nothing secret.
type About struct {
	File     string // of the settings; "": none
	Listen   string // the host and the port
	TLS      bool
	Database string // its driver
	Issuer   string // the address of the OpenID provider; "": none
}

func (a *API) registerSettings() {
	register(a, operation{
		id: "settings-get", method: http.MethodGet, path: "/settings", summary: "Get the settings of the server, without secrets", needs: access.Admin,
	}, a.getSettings)
}

// ServerSettings are the settings of a server, without secrets.
type ServerSettings struct {
	Version  string `json:"version"`
	File     string `json:"file" doc:"the file of the settings; empty: none"`
	Database string `json:"database" doc:"the driver: sqlite, postgres or sqlserver"`
	URL      string `json:"url" doc:"by which people and robots reach the server"`
	Listen   string `json:"listen"`
	TLS      bool   `json:"tls" doc:"false: there is none, or a proxy in front has it"`
	Issuer   string `json:"issuer" doc:"the OpenID provider by which people can sign in; empty: none"`
	Project  bool   `json:"project" doc:"the server has a project with pipelines"`
	Metrics  bool   `json:"metrics" doc:"figures for Prometheus are at /metrics"`

	Limits  SettingsLimits                  `json:"limits"`
	Hooks   []string                        `json:"hooks" nullable:"false" doc:"the names of the webhooks"`
	Rules   []string                        `json:"rules" nullable:"false" doc:"the names of the rules of notifications"`
	Targets []operations.NotificationTarget `json:"targets" nullable:"false" doc:"where notifications are sent, without addresses"`
}

// SettingsLimits bound what callers can do.
type SettingsLimits struct {
	BodyBytes int64 `json:"bodyBytes" doc:"of a request, unless the operation has its own limit"`
	Requests  int   `json:"requests" doc:"at the same time"`
	Waiting   int   `json:"waiting" doc:"requests that wait for something to happen, at the same time"`
	PerSecond int   `json:"perSecond" doc:"requests of a caller a second on average"`
}

type settingsBody struct{ Body ServerSettings }

func (a *API) getSettings(_ context.Context, _ *struct{}) (*settingsBody, error) {
	s := ServerSettings{
		Version: a.version, File: a.about.File, Database: a.about.Database, URL: a.url, Listen: a.about.Listen, TLS: a.about.TLS, Issuer: a.about.Issuer,
		Project: a.project != nil, Metrics: a.metrics != nil, Hooks: append([]string{}, slices.Sorted(maps.Keys(a.hooks))...), Rules: []string{}, Targets: []operations.NotificationTarget{},
		Limits: SettingsLimits{a.limits.Body, a.limits.Requests, a.limits.Waiting, a.limits.PerSecond},
	}
	for i := range a.notify.Rules {
		s.Rules = append(s.Rules, a.notify.Rules[i].Name)
	}
	for _, t := range a.notify.Targets {
		s.Targets = append(s.Targets, operations.NotificationTarget{Name: t.Name, Kind: t.Kind})
	}
	return &settingsBody{s}, nil
}
