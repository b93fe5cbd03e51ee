// Package sqlstore implements the store interfaces of workqueue over SQLite, SQL Server and PostgreSQL.
//
// gorm carries the connections' dialects, the models, the listings and the
// writes that a person asks for. The statements of the hot path are
// hand-written, one file each in package sql, and run through database/sql:
// each moves a batch of rows in one round trip, and repeats in its WHERE the
// state, the worker and the fence that it relies on. No statement needs a lock
// hint to be right.
//
// SQLite gets two pools on one file: a single writer connection, so that
// writers queue in the process instead of colliding in the file, and readers
// for listings.
package sqlstore
