-- session_rights: which rights are about the sessions of others, and whether the login has them.
-- Out: the right; whether it has it. The first is to see sessions, the second to end them.
SELECT r.name, CAST(COALESCE(HAS_PERMS_BY_NAME(r.securable, r.class, r.name), 0) AS BIT)
FROM (SELECT 1 AS n, 5 AS edition, N'VIEW DATABASE STATE' AS name, DB_NAME() AS securable, N'DATABASE' AS class
    UNION ALL SELECT 2, 5, N'KILL DATABASE CONNECTION', DB_NAME(), N'DATABASE'
    UNION ALL SELECT 1, 0, N'VIEW SERVER STATE', NULL, NULL
    UNION ALL SELECT 2, 0, N'ALTER ANY CONNECTION', NULL, NULL) r
WHERE r.edition = CASE WHEN CAST(SERVERPROPERTY(N'EngineEdition') AS INT) = 5 THEN 5 ELSE 0 END
ORDER BY r.n;
