package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"botwork/client"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// Tokens lists the API tokens by id.
func (s *Server) Tokens(ctx context.Context) ([]access.Token, error) {
	return all[access.Token](ctx, s, "tokens")
}

// CreateToken creates a token and returns its text. The error is access.ErrNameTaken for a name that
// another token has. The creator is the token of this command, whatever p says.
func (s *Server) CreateToken(ctx context.Context, p access.NewTokenParams) (access.Token, string, error) {
	body := struct {
		Name      string             `json:"name"`
		Role      access.Role        `json:"role"`
		Queues    []string           `json:"queues,omitempty"`
		ExpiresIn workqueue.Duration `json:"expiresIn,omitempty"`
		Reason    string             `json:"reason,omitempty"`
	}{p.Name, p.Role, p.Queues, workqueue.Duration(p.ExpiresIn), reason(ctx, "")}
	var answer struct {
		access.Token
		Text string `json:"token"`
	}
	err := s.api.Post(ctx, "/tokens", body, &answer)
	if taken, ok := errors.AsType[*client.Problem](err); ok && taken.Status == http.StatusConflict {
		return answer.Token, "", fmt.Errorf("%w: %w", access.ErrNameTaken, s.failed(err))
	}
	return answer.Token, answer.Text, s.failed(err)
}

// RevokeToken revokes a token; changed is false if it was revoked before.
func (s *Server) RevokeToken(ctx context.Context, id int64, _ string) (changed bool, err error) {
	var answer struct {
		Changed bool `json:"changed"`
	}
	err = s.api.Delete(ctx, fmt.Sprintf("/tokens/%d", id), because(ctx), &answer)
	return answer.Changed, s.failed(err)
}
