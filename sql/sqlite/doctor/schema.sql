-- schema: the migrations that were applied.
-- Out: the version of each.
SELECT version_id FROM goose_db_version WHERE version_id > 0 AND is_applied = 1;
