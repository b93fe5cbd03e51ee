-- replication: the standbys that may become the primary.
-- Out: the name; whether a commit waits for it (NULL: this login may not see it).
SELECT r.application_name,
    CASE WHEN r.sync_state IS NULL THEN NULL
         ELSE r.sync_state IN ('sync', 'quorum', 'potential') AND current_setting('synchronous_commit') NOT IN ('off', 'local') END
FROM pg_stat_replication r
ORDER BY r.application_name;
