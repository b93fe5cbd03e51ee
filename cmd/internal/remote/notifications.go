package remote

import (
	"context"
	"net/url"
	"time"

	"botwork/internal/operations"
	"botwork/workqueue"
)

// Notifications lists the rules of the server's settings with their alerts.
func (s *Server) Notifications(ctx context.Context) (operations.Notifications, error) {
	return get[operations.Notifications](ctx, s, nil, "notifications")
}

// TestTarget sends a test message from the server, and returns what the target answered.
func (s *Server) TestTarget(ctx context.Context, target string) (string, error) {
	var answer struct {
		Answer string `json:"answer"`
	}
	err := s.api.Post(ctx, "/notifications/targets/"+url.PathEscape(target)+"/test", nil, &answer)
	return answer.Answer, s.failed(err)
}

// MuteAlerts stops the messages of a rule, or of one of its groups, for a time.
func (s *Server) MuteAlerts(ctx context.Context, m workqueue.Mute, length time.Duration) error {
	body := struct {
		Group  string `json:"group,omitempty"`
		For    string `json:"for"`
		Reason string `json:"reason,omitempty"`
	}{m.Group, length.String(), m.Reason}
	return s.failed(s.api.Post(ctx, "/notifications/rules/"+url.PathEscape(m.Rule)+"/mute", body, nil))
}

// UnmuteAlerts ends a mute.
func (s *Server) UnmuteAlerts(ctx context.Context, rule, group, reason string) (changed bool, err error) {
	body := struct {
		Group  string `json:"group,omitempty"`
		Reason string `json:"reason,omitempty"`
	}{group, reason}
	var answer struct {
		Changed bool `json:"changed"`
	}
	err = s.api.Post(ctx, "/notifications/rules/"+url.PathEscape(rule)+"/unmute", body, &answer)
	return answer.Changed, s.failed(err)
}
