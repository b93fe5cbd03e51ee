-- server: what the engine is.
-- Out: version; edition and compatibility level, 0 here; whether nothing can be written.
SELECT sqlite_version(), 0, 0, 0;
