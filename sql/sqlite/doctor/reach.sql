-- reach: something that makes the engine read its file.
-- Out: a number.
SELECT COUNT(*) FROM sqlite_master;
