-- timeline_known: the server is on the timeline that the epoch was last raised for, or none is
-- recorded: a standby that was promoted may lack claims and items.
AND NOT EXISTS (SELECT 1 FROM "BotInstallation" e
    WHERE CASE WHEN e."Timeline" IS NULL THEN FALSE ELSE e."Timeline" <> left(pg_walfile_name(pg_current_wal_lsn()), 8) END)
