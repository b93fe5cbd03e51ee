-- happening_seen: remember what an evaluation has read, in its transaction.
-- In:  rows [{Origin, Ref, Moment}]
INSERT INTO BotNotificationSeen (Source, RefId, At)
SELECT j.Origin, j.Ref, j.Moment
FROM (SELECT json_extract(value, '$.Origin') AS Origin, json_extract(value, '$.Ref') AS Ref, json_extract(value, '$.Moment') AS Moment
      FROM jsonb_each(@rows)) j;
