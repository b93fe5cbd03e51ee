-- rights: what the login may do with the tables, and whether it may change the schema.
-- Out: on what; which right; whether it is for changing the schema; whether the login
-- has it. goose_db_version is written by migrations alone.
SELECT t.name, p.name, CAST(0 AS BIT),
    CAST(COALESCE(HAS_PERMS_BY_NAME(CONCAT(QUOTENAME(SCHEMA_NAME(t.schema_id)), N'.', QUOTENAME(t.name)), N'OBJECT', p.name), 0) AS BIT)
FROM sys.tables t
CROSS JOIN (SELECT N'SELECT' AS name UNION ALL SELECT N'INSERT' UNION ALL SELECT N'UPDATE' UNION ALL SELECT N'DELETE') p
WHERE t.name LIKE N'Bot%' OR t.name = N'goose_db_version' AND p.name = N'SELECT'
UNION ALL
SELECT N'the database', p.name, CAST(1 AS BIT), CAST(COALESCE(HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', p.name), 0) AS BIT)
FROM (SELECT N'CREATE TABLE' AS name UNION ALL SELECT N'CREATE VIEW') p
UNION ALL
SELECT CONCAT(N'schema ', SCHEMA_NAME()), N'ALTER', CAST(1 AS BIT), CAST(COALESCE(HAS_PERMS_BY_NAME(SCHEMA_NAME(), N'SCHEMA', N'ALTER'), 0) AS BIT);
