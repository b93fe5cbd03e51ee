INSERT INTO BotAlerts (KeyHash, RuleName, GroupName, State, StartedAt, LastAt, EndedAt, SentAt, Events, Occurrence, Memory)
SELECT j.Hash, j.RuleText, j.Grouping, j.Status, j.Began, j.Latest, j.Ended, j.Sent, j.Tally, j.Turn, j.Memory
FROM (SELECT json_extract(value, '$.Hash') AS Hash, json_extract(value, '$.RuleText') AS RuleText, json_extract(value, '$.Grouping') AS Grouping, json_extract(value, '$.Status') AS Status, json_extract(value, '$.Began') AS Began, json_extract(value, '$.Latest') AS Latest, json_extract(value, '$.Ended') AS Ended, json_extract(value, '$.Sent') AS Sent, json_extract(value, '$.Tally') AS Tally, json_extract(value, '$.Turn') AS Turn, json_extract(value, '$.Memory') AS Memory
      FROM jsonb_each(@rows)) j;
