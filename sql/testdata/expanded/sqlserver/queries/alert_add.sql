INSERT INTO BotAlerts (KeyHash, RuleName, GroupName, State, StartedAt, LastAt, EndedAt, SentAt, Events, Occurrence, Memory)
SELECT j.Hash, j.Rule, j.Grouping, j.Status, j.Began, j.Latest, j.Ended, j.Sent, j.Tally, j.Turn, j.Memory
FROM OPENJSON(@rows) WITH (Hash NVARCHAR(MAX) '$.Hash', Rule NVARCHAR(MAX) '$.Rule', Grouping NVARCHAR(MAX) '$.Grouping', Status NVARCHAR(MAX) '$.Status', Began DATETIME2(3) '$.Began', Latest DATETIME2(3) '$.Latest', Ended DATETIME2(3) '$.Ended', Sent DATETIME2(3) '$.Sent', Tally BIGINT '$.Tally', Turn BIGINT '$.Turn', Memory NVARCHAR(MAX) '$.Memory') j;
