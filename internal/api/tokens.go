package api

import (
	"context"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerTokens() {
	register(a, operation{id: "tokens-list", method: http.MethodGet, path: "/tokens", summary: "List the API tokens", needs: access.Admin}, a.listTokens)
	register(a, operation{
		id: "tokens-create", method: http.MethodPost, path: "/tokens", summary: "Create an API token", needs: access.Admin, status: http.StatusCreated,
		doc: "The answer has the token's text, which is shown only once.", once: true, secret: true, refuses: []int{http.StatusConflict},
	}, a.createToken)
	register(a, operation{
		id: "tokens-revoke", method: http.MethodDelete, path: "/tokens/{id}", summary: "Revoke an API token", needs: access.Admin,
		refuses: []int{http.StatusNotFound},
	}, a.revokeToken)
}

type newToken struct {
	Body struct {
		Name      string             `json:"name" minLength:"1" maxLength:"100" doc:"unique among the tokens that are not revoked; a robot works under this name"`
		Role      string             `json:"role" enum:"viewer,operator,editor,admin,robot"`
		Queues    []string           `json:"queues,omitempty" maxItems:"1000" doc:"the queues that the token is bound to; none: all. A robot needs at least one"`
		ExpiresIn workqueue.Duration `json:"expiresIn,omitempty" doc:"how long it is valid, such as 90d; none: for ever"`
		Reason    string             `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type createdToken struct {
	Body struct {
		access.Token
		Text string `json:"token" doc:"the token itself, shown only here"`
	}
}

type tokenPath struct {
	ID int64 `path:"id" minimum:"1" doc:"the token's id"`
	ReasonBody
}

func (a *API) listTokens(ctx context.Context, in *IDPage) (*pageOf[access.Token], error) {
	tokens, err := a.store.Tokens(ctx)
	return cut(tokens, func(t *access.Token) int64 { return t.ID }, in.After, in.Limit, "/tokens"), err
}

func (a *API) createToken(ctx context.Context, in *newToken) (*createdToken, error) {
	token, text, err := auth.CreateToken(because(ctx, in.Body.Reason), a.store, access.NewTokenParams{
		Name: in.Body.Name, Role: access.Role(in.Body.Role), Queues: in.Body.Queues, ExpiresIn: time.Duration(in.Body.ExpiresIn), By: auth.From(ctx).Name,
	})
	out := &createdToken{}
	out.Body.Token, out.Body.Text = token, text
	return out, err
}

func (a *API) revokeToken(ctx context.Context, in *tokenPath) (*changed, error) {
	done, err := a.store.RevokeToken(because(ctx, in.reason()), in.ID, auth.From(ctx).Name)
	a.tokens.Forget()
	out := &changed{}
	out.Body.Changed = done
	return out, err
}
