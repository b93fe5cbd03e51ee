-- +goose Up

-- The history of this database, in one row. Fences of epoch e begin at e * 1,000,000,000: an
-- epoch that is raised when the database has lost its latest transactions (a failover to a
-- standby that lacked them, a backup that was restored) puts each later fence above all that
-- any worker has seen. Timeline is the server's name of the present history; NULL: not known.
CREATE TABLE BotInstallation (
    Id       INTEGER NOT NULL DEFAULT 1 PRIMARY KEY,
    Epoch    INTEGER NOT NULL DEFAULT 0,
    Timeline TEXT NULL,
    RaisedAt TEXT NULL,
    Reason   TEXT NULL,
    CONSTRAINT CK_BotInstallation_OneRow CHECK (Id = 1)
);
INSERT INTO BotInstallation (Id, Epoch) VALUES (1, 0);

-- Counts the heartbeats of a worker, all its instances together: its process sees by it when
-- some of them are gone.
ALTER TABLE BotWorkers ADD COLUMN Beats INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE BotWorkers DROP COLUMN Beats;
DROP TABLE BotInstallation;
