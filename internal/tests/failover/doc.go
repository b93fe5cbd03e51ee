// Package failover is a test: four workers over a PostgreSQL primary with a standby. The
// primary dies or freezes in the middle of the work, the standby is promoted, and a ledger
// outside the database shows what ran.
package failover
