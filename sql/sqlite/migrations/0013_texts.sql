-- +goose Up

-- The exact texts of pipelines that workers have loaded, each once, by the SHA-256 of
-- the text in hexadecimal and the pipeline's name: LoadedAt is when a worker first
-- had it, UsedAt when one had it last, to about half a day.
CREATE TABLE BotPipelineTexts (
    Id       INTEGER PRIMARY KEY AUTOINCREMENT,
    Hash     TEXT     NOT NULL,
    Pipeline TEXT     NOT NULL,
    Body     TEXT     NOT NULL,
    LoadedAt DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    UsedAt   DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    CONSTRAINT UQ_BotPipelineTexts_Hash UNIQUE (Hash, Pipeline)
);
CREATE INDEX IX_BotPipelineTexts_Pipeline ON BotPipelineTexts (Pipeline, UsedAt);
CREATE INDEX IX_BotPipelineTexts_Used ON BotPipelineTexts (UsedAt);

-- The hash of the text that the present or last run of the item runs, of the one that
-- an attempt and a run of a system pipeline ran; NULL: not known, or none has run. The text of an
-- inline pipeline stands in the item itself.
ALTER TABLE BotWorkQueueItems ADD COLUMN PipelineHash TEXT NULL;
ALTER TABLE BotWorkItemAttempts ADD COLUMN PipelineHash TEXT NULL;
ALTER TABLE BotPipelineRuns ADD COLUMN PipelineHash TEXT NULL;

-- +goose Down
ALTER TABLE BotPipelineRuns DROP COLUMN PipelineHash;
ALTER TABLE BotWorkItemAttempts DROP COLUMN PipelineHash;
ALTER TABLE BotWorkQueueItems DROP COLUMN PipelineHash;
DROP TABLE BotPipelineTexts;
