package sqlstore_test

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue/access"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// accessMethods are the methods for tokens, users, their sessions and answers.
var accessMethods = []method{
	{"CreateToken", 2, true, func(x *behindProxy) trial {
		p := x.tokenParams()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.CreateToken(ctx, p)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotTokens" WHERE "Name" = $1`, p.Name) + x.entries(p.Name, "create")
		}}
	}},
	{"RevokeToken", 2, true, func(x *behindProxy) trial {
		t := x.token()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RevokeToken(ctx, t.ID, "bob")
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotTokens" WHERE "Id" = $1 AND "RevokedAt" IS NOT NULL`, t.ID) + x.entries(t.Name, "revoke")
		}}
	}},
	{"UsedTokens", 2, false, func(x *behindProxy) trial {
		a, b := x.token(), x.token()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.UsedTokens(ctx, []int64{b.ID, a.ID}) },
			func() int {
				return x.count(`SELECT COUNT(*) FROM "BotTokens" WHERE "Id" IN ($1, $2) AND "LastUsedAt" IS NOT NULL`, a.ID, b.ID)
			}}
	}},
	{"CreateUser", 2, true, func(x *behindProxy) trial {
		p := x.userParams()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.CreateUser(ctx, p)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotUsers" WHERE "Name" = $1`, p.Name) + x.entries(p.Name, "create")
		}}
	}},
	{"ChangeUser", 4, true, func(x *behindProxy) trial {
		u := x.user()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ChangeUser(ctx, access.UserParams{Name: u.Name, Role: access.Admin})
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotUsers" WHERE "Id" = $1 AND "Role" = 'admin'`, u.ID) + 2 - x.waysIn(u.ID) + x.entries(u.Name, "set")
		}}
	}},
	{"DisableUser", 4, true, func(x *behindProxy) trial {
		u := x.user()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.DisableUser(ctx, u.Name, true, "ann")
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotUsers" WHERE "Id" = $1 AND "DisabledAt" IS NOT NULL`, u.ID) + 2 - x.waysIn(u.ID) + x.entries(u.Name, "disable")
		}}
	}},
	{"SignInRefused", 1, true, func(x *behindProxy) trial {
		u := x.user()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.SignInRefused(ctx, u.ID) },
			func() int { return x.entries(u.Name, "refuse") }}
	}},
	{"ChangePassword", 4, true, func(x *behindProxy) trial {
		u := x.user()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ChangePassword(ctx, access.PasswordChange{UserID: u.ID, Present: u.PasswordHash, Hash: "another"})
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotUsers" WHERE "Id" = $1 AND "PasswordHash" = 'another'`, u.ID) + 2 - x.waysIn(u.ID) + x.entries(u.Name, "set")
		}}
	}},
	{"SignInFailed", 2, true, func(x *behindProxy) trial {
		u := x.user()
		x.byHand(`UPDATE "BotUsers" SET "Failures" = %d WHERE "Id" = %d`, access.AccountFailures-1, u.ID)
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.SignInFailed(ctx, u.ID) },
			func() int {
				return x.count(`SELECT COUNT(*) FROM "BotUsers" WHERE "Id" = $1 AND "Failures" > 0 AND "LockedUntil" IS NOT NULL`, u.ID) + x.entries(u.Name, "refuse") +
					3*x.count(fmt.Sprintf(`SELECT COUNT(*) FROM "BotUsers" WHERE "Id" = $1 AND ("Failures" = %d) <> ("LockedUntil" IS NOT NULL)`, access.AccountFailures), u.ID)
			}}
	}},
	{"CreateSession", 2, true, func(x *behindProxy) trial {
		u := x.user()
		x.byHand(`UPDATE "BotUsers" SET "SignedInAt" = NULL WHERE "Id" = %d`, u.ID)
		p := sessionOf(u)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.CreateSession(ctx, p)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotSessions" WHERE "Hash" = $1`, p.Hash) +
				x.count(`SELECT COUNT(*) FROM "BotUsers" WHERE "Id" = $1 AND "SignedInAt" IS NOT NULL`, u.ID)
		}}
	}},
	{"UsedSession", 1, false, func(x *behindProxy) trial {
		session := x.session()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.UsedSession(ctx, session.ID, 5*time.Hour) },
			func() int {
				return x.count(`SELECT COUNT(*) FROM "BotSessions" WHERE "Id" = $1 AND "IdleUntil" > now() + INTERVAL '3 hours'`, session.ID)
			}}
	}},
	{"EndSession", 1, true, func(x *behindProxy) trial {
		session := x.session()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.EndSession(ctx, session.ID)
			return err
		}, func() int { return 1 - x.count(`SELECT COUNT(*) FROM "BotSessions" WHERE "Id" = $1`, session.ID) }}
	}},
	{"EndSessions", 1, true, func(x *behindProxy) trial {
		u := x.user()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.EndSessions(ctx, u.ID)
			return err
		}, func() int { return 2 - x.waysIn(u.ID) }}
	}},
	{"CreateLink", 1, false, func(x *behindProxy) trial {
		u, hash := x.user(), access.Hash(access.NewSecret())
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.CreateLink(ctx, u.ID, hash, time.Hour) },
			func() int { return x.count(`SELECT COUNT(*) FROM "BotSignInLinks" WHERE "Hash" = $1`, hash) }}
	}},
	{"UseLink", 1, true, func(x *behindProxy) trial {
		u, hash := x.user(), access.Hash(access.NewSecret())
		if err := x.way.CreateLink(x.Context(), u.ID, hash, time.Hour); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.UseLink(ctx, hash)
			return err
		}, func() int { return 1 - x.count(`SELECT COUNT(*) FROM "BotSignInLinks" WHERE "Hash" = $1`, hash) }}
	}},
	{"BeginAnswer", 1, false, func(x *behindProxy) trial {
		a := x.answerTo()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, _, err := s.BeginAnswer(ctx, a, time.Minute)
			return err
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotApiAnswers" WHERE "CallerName" = $1`, a.Caller) }}
	}},
	{"BeginAnswer", 1, true, func(x *behindProxy) trial { // it takes over a request
		a := x.reserved()
		x.byHand(`UPDATE "BotApiAnswers" SET "At" = now() - INTERVAL '2 hours' WHERE "CallerName" = '%s'`, a.Caller)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, _, err := s.BeginAnswer(ctx, a, time.Hour)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotApiAnswers" WHERE "CallerName" = $1 AND "At" > now() - INTERVAL '1 hour'`, a.Caller)
		}}
	}},
	{"KeepAnswer", 1, false, func(x *behindProxy) trial {
		a := x.reserved()
		a.Status, a.Body = 200, "{}"
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.KeepAnswer(ctx, a) },
			func() int {
				return x.count(`SELECT COUNT(*) FROM "BotApiAnswers" WHERE "CallerName" = $1 AND "Status" = 200`, a.Caller)
			}}
	}},
	{"DropAnswer", 1, false, func(x *behindProxy) trial {
		a := x.reserved()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.DropAnswer(ctx, a.Caller, a.Key) },
			func() int {
				return 1 - x.count(`SELECT COUNT(*) FROM "BotApiAnswers" WHERE "CallerName" = $1`, a.Caller)
			}}
	}},
	{"CleanAccess", 2, true, func(x *behindProxy) trial {
		// It is a transaction for each kind. Only answers are old.
		x.byHand(`DELETE FROM "BotApiAnswers"`)
		a := x.reserved()
		x.byHand(`INSERT INTO "BotApiAnswers" ("KeyHash", "CallerName", "IdempotencyKey", "RequestHash")
			SELECT 'old', "CallerName", "IdempotencyKey", "RequestHash" FROM "BotApiAnswers"`)
		x.byHand(`UPDATE "BotApiAnswers" SET "At" = '2001-01-01'`)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.CleanAccess(ctx, 0)
			return err
		}, func() int {
			return 2 - x.count(`SELECT COUNT(*) FROM "BotApiAnswers" WHERE "CallerName" = $1`, a.Caller)
		}}
	}},
	readingAs("TokenByHash", func(x *behindProxy) func(context.Context, *sqlstore.Store) error {
		p := x.tokenParams()
		if _, err := x.way.CreateToken(x.Context(), p); err != nil {
			x.Fatal(err)
		}
		return func(ctx context.Context, s *sqlstore.Store) error {
			_, _, err := s.TokenByHash(ctx, p.Hash)
			return err
		}
	}),
	readingAs("Tokens", func(*behindProxy) func(context.Context, *sqlstore.Store) error {
		return func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Tokens(ctx)
			return err
		}
	}),
	readingAs("User", func(x *behindProxy) func(context.Context, *sqlstore.Store) error {
		name := x.user().Name
		return func(ctx context.Context, s *sqlstore.Store) error {
			_, _, err := s.User(ctx, name)
			return err
		}
	}),
	readingAs("UserBySubject", func(x *behindProxy) func(context.Context, *sqlstore.Store) error {
		p := x.userParams()
		p.Subject = p.Name
		if _, err := x.way.CreateUser(x.Context(), p); err != nil {
			x.Fatal(err)
		}
		return func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.UserBySubject(ctx, p.Subject)
			return err
		}
	}),
	readingAs("Users", func(*behindProxy) func(context.Context, *sqlstore.Store) error {
		return func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Users(ctx)
			return err
		}
	}),
	readingAs("SessionsByHash", func(x *behindProxy) func(context.Context, *sqlstore.Store) error {
		p := sessionOf(x.user())
		if _, err := x.way.CreateSession(x.Context(), p); err != nil {
			x.Fatal(err)
		}
		return func(ctx context.Context, s *sqlstore.Store) error {
			found, err := s.SessionsByHash(ctx, []string{p.Hash})
			if err == nil && len(found) != 1 {
				err = fmt.Errorf("%d sessions, want 1", len(found))
			}
			return err
		}
	}),
	readingAs("Sessions", func(x *behindProxy) func(context.Context, *sqlstore.Store) error {
		u := x.user()
		return func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Sessions(ctx, u.ID)
			return err
		}
	}),
}

// readingAs is a method that only reads what prepare creates.
func readingAs(name string, prepare func(x *behindProxy) func(context.Context, *sqlstore.Store) error) method {
	return method{name, 0, false, func(x *behindProxy) trial { return trial{prepare(x), func() int { return 0 }} }}
}

func (x *behindProxy) newName() string { return x.make.Spec(storetest.WorkerOpts{}).Name }

// entries counts the entries of the audit log for an action on a token or a user.
func (x *behindProxy) entries(target, verb string) int {
	x.Helper()
	return x.count(`SELECT COUNT(*) FROM "BotAuditLog" WHERE "Target" = $1 AND "Action" LIKE '%.' || $2`, target, verb)
}

func (x *behindProxy) tokenParams() access.NewTokenParams {
	return access.NewTokenParams{Name: x.newName(), Hash: access.Hash(access.NewSecret()), Role: access.Viewer, By: "ann"}
}

func (x *behindProxy) token() access.Token {
	x.Helper()
	t, err := x.way.CreateToken(x.Context(), x.tokenParams())
	if err != nil {
		x.Fatal(err)
	}
	return t
}

func (x *behindProxy) userParams() access.UserParams {
	return access.UserParams{Name: x.newName(), Role: access.Viewer, PasswordHash: "$argon2id$", By: "ann"}
}

// user creates a user with a session and a sign-in link.
func (x *behindProxy) user() access.User {
	x.Helper()
	u, err := x.way.CreateUser(x.Context(), x.userParams())
	if err == nil {
		err = x.way.CreateLink(x.Context(), u.ID, access.Hash(access.NewSecret()), time.Hour)
	}
	if err == nil {
		_, err = x.way.CreateSession(x.Context(), sessionOf(u))
	}
	if err != nil {
		x.Fatal(err)
	}
	return u
}

func sessionOf(u access.User) access.NewSessionParams {
	return access.NewSessionParams{UserID: u.ID, Hash: access.Hash(access.NewSecret()), Idle: time.Hour, Longest: 8 * time.Hour}
}

func (x *behindProxy) session() access.Session {
	x.Helper()
	s, err := x.way.CreateSession(x.Context(), sessionOf(x.user()))
	if err != nil {
		x.Fatal(err)
	}
	return s
}

// waysIn counts the sessions and links of a user.
func (x *behindProxy) waysIn(user int64) int {
	x.Helper()
	return x.count(`SELECT COUNT(*) FROM "BotSessions" WHERE "UserId" = $1`, user) + x.count(`SELECT COUNT(*) FROM "BotSignInLinks" WHERE "UserId" = $1`, user)
}

func (x *behindProxy) answerTo() access.Answer {
	return access.Answer{Caller: x.newName(), Key: "key", RequestHash: access.Hash("request")}
}

// reserved reserves the key of a request.
func (x *behindProxy) reserved() access.Answer {
	x.Helper()
	a := x.answerTo()
	if _, found, err := x.way.BeginAnswer(x.Context(), a, time.Minute); err != nil || found {
		x.Fatal(fmt.Errorf("reserve a key: found %t: %w", found, err))
	}
	return a
}
