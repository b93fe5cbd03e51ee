package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"botwork/internal/database"
)

// server is the server of a DSN, without the password.
type server struct{ host, port, database, user string }

// serverOf parses a DSN as its driver does. It returns the zero server if the
// driver rejects the DSN.
func serverOf(driver database.Driver, dsn string) server {
	switch driver {
	case database.Postgres:
		if c, err := pgx.ParseConfig(dsn); err == nil {
			return server{c.Host, fmt.Sprint(c.Port), c.Database, c.User}
		}
	case database.SQLServer:
		if c, err := msdsn.Parse(dsn); err == nil {
			s := server{c.Host, fmt.Sprint(c.Port), c.Database, c.User}
			if c.Port == 0 {
				s.port = "1433"
			}
			if c.Instance != "" {
				s.host += `\` + c.Instance
			}
			return s
		}
	}
	return server{}
}

// target returns a description of the database of a DSN.
func target(driver database.Driver, dsn string) string {
	if driver == database.SQLite {
		if path := database.SQLitePath(dsn); path != "" {
			return path
		}
		return "a SQLite database in memory"
	}
	s := serverOf(driver, dsn)
	if s.host == "" {
		return database.SafeDSN(dsn)
	}
	if s.database == "" {
		return fmt.Sprintf("%s on %s:%s", driver, s.host, s.port)
	}
	return fmt.Sprintf("%s database %q on %s:%s", driver, s.database, s.host, s.port)
}

// explain returns why a database did not answer, and what to do. The texts never
// contain a password.
func explain(ctx context.Context, driver database.Driver, dsn string, err error) (found, advice string) {
	err = database.Redact(err, dsn)
	s := serverOf(driver, dsn)
	if found, advice = explainLogin(s, err); found != "" {
		return found, advice
	}
	if found, advice = explainFile(dsn, err); found != "" {
		return found, advice
	}
	at := s.host + ":" + s.port
	var name *net.DNSError
	switch {
	case errors.As(err, &name):
		return fmt.Sprintf("cannot resolve the host name %q (%s)", name.Name, name.Err), "correct the host in the DSN, or ask the administrator of the name server"
	case errors.Is(err, refused):
		return fmt.Sprintf("the machine %s answers, but nothing listens on port %s", s.host, s.port),
			"start the server, or correct the port in the DSN" + forSQLServer(driver, "; SQL Server listens only when TCP/IP is enabled in its Configuration Manager")
	case errors.Is(err, noHost), errors.Is(err, noNet):
		return "no network route from this machine to " + at, "correct the host in the DSN, or check the network"
	case isCertificate(err):
		return fmt.Sprintf("the certificate of %s is not trusted on this machine: %v", at, last(err)),
			"install the certificate of its authority on this machine, or use the host name of the certificate in the DSN"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), ctx.Err() != nil, isTimeout(err):
		return at + " did not answer in time", "check whether the server runs and whether a firewall is in between; --timeout waits longer"
	}
	return firstLines(err.Error()), seeDocs
}

// seeDocs is the advice for other errors.
const seeDocs = "see docs/doctor.md"

// explainLogin explains the answer of a server that refused the login.
func explainLogin(s server, err error) (found, advice string) {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "28P01":
			return fmt.Sprintf("login %q failed: unknown user or wrong password", s.user), "correct user and password in the DSN"
		case "28000":
			return fmt.Sprintf("the server does not allow %q to connect from this machine: %s", s.user, pg.Message), "correct the user, or add a line to the server's pg_hba.conf"
		case "3D000":
			return fmt.Sprintf("the server has no database %q", s.database), "correct the database's name in the DSN, or create it: CREATE DATABASE " + quoted(s.database)
		case "53300":
			return "the server has no free connections: " + pg.Message, "raise its max_connections, or lower database.pool.maxOpen of the workers"
		case "57P03":
			return "the server is starting or shutting down: " + pg.Message, "try again in a moment"
		case "42501":
			return "the login may not do this: " + pg.Message, "grant it the right; the check rights lists the rights that the service needs"
		}
		return "the server returned an error: " + pg.Message + " (" + pg.Code + ")", seeDocs
	}
	ms, ok := errors.AsType[mssql.Error](err)
	if !ok {
		return "", ""
	}
	switch ms.Number {
	case 4060: // occurs together with 18456, and is more specific
		return fmt.Sprintf("the server has no database %q, or the login %q may not use it", s.database, s.user), "correct the database's name in the DSN, create it, or make a user for the login in it"
	case 18456:
		for _, e := range ms.All {
			if e.Number == 4060 {
				return explainLogin(s, e)
			}
		}
		return fmt.Sprintf("login %q failed: unknown user or wrong password", s.user), "correct user and password in the DSN; the server's error log shows the reason as a state number"
	case 18452:
		return "the server accepts no Windows login from this machine", "run as an account of a domain that the server trusts, or use a SQL login"
	case 18470, 18486, 18487, 18488:
		return fmt.Sprintf("the login %q is disabled or locked, or its password has expired", s.user), "ask an administrator of the server to enable it"
	case 40615, 40914:
		return "the firewall of Azure SQL blocks this machine", "add its address, or its network, to the server's firewall rules"
	case 229, 262, 297, 300:
		return "the login may not do this: " + ms.Message, "grant it the right; the check rights lists the rights that the service needs"
	}
	return fmt.Sprintf("the server returned an error: %s (%d)", ms.Message, ms.Number), seeDocs
}

// explainFile returns what is wrong with the file of a SQLite database, and what to do.
func explainFile(dsn string, err error) (found, advice string) {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return "", ""
	}
	path := database.SQLitePath(dsn)
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return path + " is not a SQLite database, or another program encrypted it", "correct database.dsn, or restore the file from a backup"
	case sqlite3.SQLITE_CORRUPT:
		return path + " is damaged: " + e.Error(), "restore the file from a backup, and check the disk"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return path + " cannot be opened", "allow the account that runs this to read and write the file and its folder"
	case sqlite3.SQLITE_READONLY:
		return path + " or the files of its journal cannot be written", "allow the account that runs this to write the file, the files with -wal and -shm at the end of their names, and the folder"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return path + " has been locked by another program for more than 5 s", "end that program: it may copy the file, or be a tool with an open transaction"
	}
	return e.Error(), seeDocs
}

func isCertificate(err error) bool {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, verified := errors.AsType[*tls.CertificateVerificationError](err)
	return unknown || name || invalid || verified || strings.Contains(err.Error(), "x509: ")
}

func isTimeout(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// last returns the innermost error, which has the cause.
func last(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

func forSQLServer(driver database.Driver, text string) string {
	if driver == database.SQLServer {
		return text
	}
	return ""
}

// quoted returns a name as a quoted identifier of PostgreSQL.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
