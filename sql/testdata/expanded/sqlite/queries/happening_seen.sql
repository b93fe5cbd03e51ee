INSERT INTO BotNotificationSeen (Source, RefId, At)
SELECT j.Origin, j.Ref, j.Moment
FROM (SELECT json_extract(value, '$.Origin') AS Origin, json_extract(value, '$.Ref') AS Ref, json_extract(value, '$.Moment') AS Moment
      FROM jsonb_each(@rows)) j;
