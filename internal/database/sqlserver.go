package database

import (
	"database/sql"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/azuread"
)

// The time for a login, from the first packet on. Azure AD may ask elsewhere meanwhile.
const sqlServerLoginTime, azureLoginTime = 10 * time.Second, time.Minute

// openSQLServer prepares a pool. The driver's own settings keep their defaults: "dial
// timeout" 15 s for each protocol, multisubnetfailover on, no "connection timeout", which
// would bound every wait for an answer.
func openSQLServer(dsn string, greet Greeting) (*sql.DB, error) {
	var c *mssql.Connector
	var err error
	within := sqlServerLoginTime
	if strings.Contains(strings.ToLower(dsn), "fedauth") {
		within = azureLoginTime
		c, err = azuread.NewConnector(dsn)
	} else {
		c, err = mssql.NewConnector(dsn)
	}
	if err != nil {
		return nil, err
	}
	c.Dialer = newServers(sendPrelogin)
	return sql.OpenDB(&connector{c, within, greet}), nil
}
