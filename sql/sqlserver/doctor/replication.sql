-- replication: the standbys that may become the primary.
-- Out: the name; whether a commit waits for it (NULL: this login may not see it).
SELECT r.replica_server_name, CAST(CASE WHEN r.availability_mode = 1 THEN 1 ELSE 0 END AS BIT)
FROM sys.availability_replicas r
JOIN sys.dm_hadr_database_replica_states s ON s.replica_id = r.replica_id
WHERE s.database_id = DB_ID() AND s.is_local = 0
ORDER BY r.replica_server_name;
