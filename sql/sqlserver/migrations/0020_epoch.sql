-- +goose Up

-- The history of this database, in one row. Fences of epoch e begin at e * 1,000,000,000: an
-- epoch that is raised when the database has lost its latest transactions (a failover to a
-- standby that lacked them, a backup that was restored) puts each later fence above all that
-- any worker has seen. Timeline is the server's name of the present history; NULL: not known.
CREATE TABLE BotInstallation (
    Id       INT NOT NULL CONSTRAINT DF_BotInstallation_Id DEFAULT 1,
    Epoch    BIGINT NOT NULL CONSTRAINT DF_BotInstallation_Epoch DEFAULT 0,
    Timeline NVARCHAR(100) NULL,
    RaisedAt DATETIME2(3) NULL,
    Reason   NVARCHAR(1000) NULL,
    CONSTRAINT PK_BotInstallation PRIMARY KEY (Id),
    CONSTRAINT CK_BotInstallation_OneRow CHECK (Id = 1)
);
INSERT INTO BotInstallation (Id, Epoch) VALUES (1, 0);

-- Counts the heartbeats of a worker, all its instances together: its process sees by it when
-- some of them are gone.
ALTER TABLE BotWorkers ADD Beats BIGINT NOT NULL CONSTRAINT DF_BotWorkers_Beats DEFAULT 0;

-- +goose Down
ALTER TABLE BotWorkers DROP CONSTRAINT DF_BotWorkers_Beats;
ALTER TABLE BotWorkers DROP COLUMN Beats;
DROP TABLE BotInstallation;
