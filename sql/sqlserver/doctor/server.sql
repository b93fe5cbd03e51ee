-- server: what the server is.
-- Out: version; edition (EngineEdition); the database's compatibility level; whether
-- nothing can be written.
SELECT CAST(SERVERPROPERTY(N'ProductVersion') AS NVARCHAR(128)),
    CAST(SERVERPROPERTY(N'EngineEdition') AS INT),
    CAST((SELECT d.compatibility_level FROM sys.databases d WHERE d.name = DB_NAME()) AS INT),
    CAST(CASE WHEN CAST(DATABASEPROPERTYEX(DB_NAME(), N'Updateability') AS NVARCHAR(128)) = N'READ_ONLY' THEN 1 ELSE 0 END AS BIT);
