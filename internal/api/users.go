package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"botwork/internal/api/auth"
	"botwork/workqueue/access"
)

func (a *API) registerUsers() {
	register(a, operation{
		id: "users-list", method: http.MethodGet, path: "/users", summary: "List the users by name", needs: access.Admin,
	}, a.listUsers)
	register(a, operation{
		id: "users-create", method: http.MethodPost, path: "/users", summary: "Create a user", needs: access.Admin, status: http.StatusCreated,
		doc: "Without a password the user signs in with a link (users-link).", once: true, secret: true, refuses: []int{http.StatusConflict},
	}, a.createUser)
	register(a, operation{
		id: "users-set", method: http.MethodPatch, path: "/users/{name}", summary: "Change the role, the queues or the password of a user", needs: access.Admin,
		doc: "The sessions and the sign-in links of the user end. Fields that are not given stay.", refuses: []int{http.StatusNotFound},
	}, a.setUser)
	register(a, operation{
		id: "users-disable", method: http.MethodPost, path: "/users/{name}/disable", summary: "Lock a user out and end the sessions", needs: access.Admin,
		refuses: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *userReason) (*changed, error) { return a.disableUser(ctx, in, true) })
	register(a, operation{
		id: "users-enable", method: http.MethodPost, path: "/users/{name}/enable", summary: "Let a disabled user in again", needs: access.Admin,
		refuses: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *userReason) (*changed, error) { return a.disableUser(ctx, in, false) })
	register(a, operation{
		id: "users-link", method: http.MethodPost, path: "/users/{name}/link", summary: "Create a sign-in link of a user", needs: access.Admin, status: http.StatusCreated,
		doc: "The link works once, within 10 minutes.", once: true, secret: true, refuses: []int{http.StatusNotFound},
	}, a.linkUser)
	register(a, operation{
		id: "users-sessions", method: http.MethodGet, path: "/users/{name}/sessions", summary: "List the sessions of a user that have not ended", needs: access.Admin,
		refuses: []int{http.StatusNotFound},
	}, a.listSessions)
	register(a, operation{
		id: "users-signout", method: http.MethodPost, path: "/users/{name}/sign-out", summary: "End all sessions of a user", needs: access.Admin,
		refuses: []int{http.StatusNotFound},
	}, a.signOutUser)
}

// UserPath is the path of a user.
type UserPath struct {
	Name string `path:"name" maxLength:"100" doc:"the user's name, in any case"`
}

type userReason struct {
	UserPath
	ReasonBody
}

type userBody struct{ Body access.User }

type newUser struct {
	Body struct {
		Name     string   `json:"name" minLength:"1" maxLength:"100" doc:"unique in any case"`
		Role     string   `json:"role" enum:"viewer,operator,editor,admin"`
		Queues   []string `json:"queues,omitempty" maxItems:"1000" doc:"the queues that the user is bound to; none: all"`
		Password string   `json:"password,omitempty" maxLength:"1000" format:"password" doc:"12 to 128 characters; none: the user cannot sign in with a password"`
		Reason   string   `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type userChange struct {
	UserPath
	Body struct {
		Role     *string   `json:"role,omitempty" enum:"viewer,operator,editor,admin"`
		Queues   *[]string `json:"queues,omitempty" maxItems:"1000" doc:"the queues that the user is bound to; []: all"`
		Password *string   `json:"password,omitempty" minLength:"1" maxLength:"1000" format:"password" doc:"12 to 128 characters"`
		Reason   string    `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

type linkBody struct {
	Body struct {
		URL       string `json:"url" doc:"shown only here"`
		ExpiresIn string `json:"expiresIn"`
	}
}

type endedSessions struct {
	Body struct {
		Ended int `json:"ended" doc:"how many sessions ended"`
	}
}

func (a *API) listUsers(ctx context.Context, in *NamePage) (*pageOf[access.User], error) {
	users, err := a.store.Users(ctx)
	return cut(users, func(u *access.User) string { return u.Name }, in.After, in.Limit, "/users"), err
}

func (a *API) createUser(ctx context.Context, in *newUser) (*userBody, error) {
	u, err := auth.CreateUser(because(ctx, in.Body.Reason), a.store, access.UserParams{
		Name: in.Body.Name, Role: access.Role(in.Body.Role), Queues: in.Body.Queues, By: auth.From(ctx).Name,
	}, in.Body.Password)
	return &userBody{u}, err
}

func (a *API) setUser(ctx context.Context, in *userChange) (*userBody, error) {
	change := auth.UserChange{Password: in.Body.Password}
	if in.Body.Role != nil {
		change.Role = new(access.Role(*in.Body.Role))
	}
	if in.Body.Queues != nil {
		change.Queues = append([]string{}, *in.Body.Queues...)
	}
	u, err := auth.SetUser(because(ctx, in.Body.Reason), a.store, in.Name, change, auth.From(ctx).Name)
	a.sessions.Forget()
	return &userBody{u}, err
}

func (a *API) disableUser(ctx context.Context, in *userReason, disabled bool) (*changed, error) {
	done, err := a.store.DisableUser(because(ctx, in.reason()), in.Name, disabled, auth.From(ctx).Name)
	a.sessions.Forget()
	out := &changed{}
	out.Body.Changed = done
	return out, err
}

func (a *API) linkUser(ctx context.Context, in *userReason) (*linkBody, error) {
	u, _, err := a.store.User(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	url, err := a.NewSignInLink(because(ctx, in.reason()), u.ID)
	if err != nil {
		return nil, err
	}
	out := &linkBody{}
	out.Body.URL, out.Body.ExpiresIn = url, auth.LinkValid.String()
	return out, nil
}

type sessionsQuery struct {
	UserPath
	IDPage
}

func (a *API) listSessions(ctx context.Context, in *sessionsQuery) (*pageOf[access.Session], error) {
	u, _, err := a.store.User(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	sessions, err := a.store.Sessions(ctx, u.ID)
	path := "/users/" + url.PathEscape(u.Name) + "/sessions"
	return cut(sessions, func(s *access.Session) int64 { return s.ID }, in.After, in.Limit, path), err
}

func (a *API) signOutUser(ctx context.Context, in *userReason) (*endedSessions, error) {
	u, _, err := a.store.User(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	ended, err := a.store.EndSessions(because(ctx, in.reason()), u.ID)
	a.sessions.Forget()
	out := &endedSessions{}
	out.Body.Ended = ended
	return out, err
}

func isNoSession(err error) bool { return errors.Is(err, auth.ErrNoSession) }
