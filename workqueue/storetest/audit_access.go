package storetest

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// auditedAccess lists the methods that change tokens and users.
func auditedAccess() []audited {
	on := func(method, action, kind, target string, refused bool, call func(x *fixture, ctx context.Context) error) audited {
		return audited{method: method, idle: !refused, refused: refused,
			want: workqueue.AuditEntry{Action: action, TargetKind: kind, Target: target, Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				return func(ctx context.Context) error { return call(x, ctx) }, nil
			}}
	}
	revoke := on("RevokeToken", "tokens.revoke", "token", "old", false, nil)
	revoke.prepare = func(x *fixture) (func(context.Context) error, []int64) {
		t := x.token("old", nil)
		return func(ctx context.Context) error {
			_, err := x.Store.RevokeToken(ctx, t.ID, "by")
			return err
		}, nil
	}
	disable := func(action string, disabled bool) audited {
		return on("DisableUser", action, "user", "bob", false, func(x *fixture, ctx context.Context) error {
			_, err := x.Store.DisableUser(ctx, "Bob", disabled, "by")
			return err
		})
	}
	return []audited{
		on("CreateToken", "tokens.create", "token", "deploy", true, func(x *fixture, ctx context.Context) error {
			_, err := x.Store.CreateToken(ctx, access.NewTokenParams{Name: "deploy", Hash: access.Hash("deploy"), Role: access.Viewer, By: "by"})
			return err
		}),
		revoke,
		on("CreateUser", "users.create", "user", "bob", true, func(x *fixture, ctx context.Context) error {
			_, err := x.Store.CreateUser(ctx, access.UserParams{Name: "bob", Role: access.Viewer, By: "by"})
			return err
		}),
		on("ChangeUser", "users.set", "user", "bob", false, func(x *fixture, ctx context.Context) error {
			_, err := x.Store.ChangeUser(ctx, access.UserParams{Name: "BOB", Role: access.Editor, By: "by"})
			return err
		}),
		{method: "ChangePassword", want: workqueue.AuditEntry{Action: "users.set", TargetKind: "user", Target: "bob", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				return func(ctx context.Context) error {
					u, _, err := x.Store.User(ctx, "bob")
					if err != nil {
						return err
					}
					_, err = x.Store.ChangePassword(ctx, access.PasswordChange{UserID: u.ID, Present: u.PasswordHash, Hash: "$argon2id$fresh"})
					return err
				}, nil
			}},
		on("CreateLink", "users.link", "user", "bob", true, func(x *fixture, ctx context.Context) error {
			u, _, err := x.Store.User(ctx, "bob")
			if err != nil {
				return err
			}
			return x.Store.CreateLink(ctx, u.ID, access.Hash("link"), time.Hour)
		}),
		{method: "CreateSession", want: workqueue.AuditEntry{Action: "users.signin", TargetKind: "user", Target: "bob", Changed: 1},
			prepare: func(x *fixture) (func(context.Context) error, []int64) {
				return func(ctx context.Context) error {
					u, _, err := x.Store.User(ctx, "bob")
					if err != nil {
						return err
					}
					_, err = x.Store.CreateSession(ctx, sessionParams(u, access.NewSecret()))
					return err
				}, nil
			}},
		endSession(func(x *fixture, ctx context.Context, s access.Session) error {
			_, err := x.Store.EndSession(ctx, s.ID)
			return err
		}, "EndSession"),
		endSession(func(x *fixture, ctx context.Context, s access.Session) error {
			_, err := x.Store.EndSessions(ctx, s.User.ID)
			return err
		}, "EndSessions"),
		on("SignInFailed", "users.refuse", "user", "bob", false, func(x *fixture, ctx context.Context) error {
			u, _, err := x.Store.User(ctx, "bob")
			if err != nil {
				return err
			}
			return x.Store.SignInFailed(ctx, u.ID)
		}),
		signInRefused(),
		disable("users.disable", true), disable("users.enable", false),
	}
}

// signInRefused is an attempt of another user: those of one user and address share an entry.
func signInRefused() audited {
	return audited{method: "SignInRefused", idle: true, want: workqueue.AuditEntry{Action: "users.refuse", TargetKind: "user", Target: "eve", Changed: 1},
		prepare: func(x *fixture) (func(context.Context) error, []int64) {
			eve := x.user("eve")
			return func(ctx context.Context) error { return x.Store.SignInRefused(ctx, eve.ID) }, nil
		}}
}

// endSession is a method that ends the only session of a user.
func endSession(call func(x *fixture, ctx context.Context, s access.Session) error, method string) audited {
	return audited{method: method, idle: true, want: workqueue.AuditEntry{Action: "users.signout", TargetKind: "user", Target: "bob", Changed: 1},
		prepare: func(x *fixture) (func(context.Context) error, []int64) {
			u, _, err := x.Store.User(x.ctx, "bob")
			if err == nil {
				_, err = x.Store.EndSessions(x.ctx, u.ID)
			}
			if err != nil {
				x.Fatal(err)
			}
			s, err := x.Store.CreateSession(x.ctx, sessionParams(u, access.NewSecret()))
			if err != nil {
				x.Fatal(err)
			}
			return func(ctx context.Context) error { return call(x, ctx, s) }, nil
		}}
}
