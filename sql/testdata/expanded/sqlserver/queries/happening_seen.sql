INSERT INTO BotNotificationSeen (Source, RefId, At)
SELECT j.Origin, j.Ref, j.Moment
FROM OPENJSON(@rows) WITH (Origin NVARCHAR(MAX) '$.Origin', Ref BIGINT '$.Ref', Moment DATETIME2(3) '$.Moment') j;
