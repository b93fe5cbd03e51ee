-- rights: what the login may do with the tables, and whether it may change the schema.
-- Out: on what; which right; whether it is for changing the schema; whether the login
-- has it. goose_db_version is written by migrations alone.
SELECT c.relname, p.name, FALSE, has_table_privilege(c.oid, p.name)
FROM pg_class c CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) p (name)
WHERE c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)
  AND (c.relname LIKE 'Bot%' OR c.relname = 'goose_db_version' AND p.name = 'SELECT')
UNION ALL
SELECT c.relname, 'ownership', TRUE, pg_has_role(c.relowner, 'USAGE')
FROM pg_class c
WHERE c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid) AND (c.relname LIKE 'Bot%' OR c.relname = 'goose_db_version')
UNION ALL
SELECT CONCAT('schema ', COALESCE(current_schema(), '(none of the search path)')), 'CREATE', TRUE,
    COALESCE(has_schema_privilege(current_schema(), 'CREATE'), FALSE);
