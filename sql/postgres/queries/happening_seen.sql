-- happening_seen: remember what an evaluation has read, in its transaction.
-- In:  rows [{Origin, Ref, Moment}]
INSERT INTO "BotNotificationSeen" ("Source", "RefId", "At")
SELECT j."Origin", j."Ref", j."Moment"
FROM json_to_recordset(CAST(@rows AS json)) AS j("Origin" text, "Ref" bigint, "Moment" timestamptz);
