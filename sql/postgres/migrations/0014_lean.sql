-- +goose Up

-- A queue's rows are written three or four times each and then rest. By its own
-- measure, a fifth of the table, PostgreSQL would clean up behind them ever more
-- rarely as finished rows grow in number, and the dead entries at the front of the
-- indexes of what waits would slow every pass down. By these it looks at what has changed.
ALTER TABLE "BotWorkQueueItems" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
    autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- +goose Down
ALTER TABLE "BotWorkQueueItems" RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
    autovacuum_analyze_scale_factor, autovacuum_vacuum_insert_scale_factor);
