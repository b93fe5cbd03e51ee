INSERT INTO BotAlerts (KeyHash, RuleName, GroupName, State, StartedAt, LastAt, EndedAt, SentAt, Events, Occurrence, Memory)
SELECT j.Hash, j.RuleText, j.Grouping, j.Status, j.Began, j.Latest, j.Ended, j.Sent, j.Tally, j.Turn, j.Memory
FROM OPENJSON(@rows) WITH (Hash NVARCHAR(64) '$.Hash', RuleText NVARCHAR(200) '$.RuleText', Grouping NVARCHAR(450) '$.Grouping', Status NVARCHAR(20) '$.Status', Began DATETIME2(3) '$.Began', Latest DATETIME2(3) '$.Latest', Ended DATETIME2(3) '$.Ended', Sent DATETIME2(3) '$.Sent', Tally BIGINT '$.Tally', Turn BIGINT '$.Turn', Memory NVARCHAR(MAX) '$.Memory') j;
