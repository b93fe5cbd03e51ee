-- snapshot: whether readers read row versions instead of waiting for writers.
-- Out: the database's name, whether it is on.
SELECT d.name, d.is_read_committed_snapshot_on FROM sys.databases d WHERE d.name = DB_NAME();
