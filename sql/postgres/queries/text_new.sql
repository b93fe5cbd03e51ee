-- text_new: keep texts that are not there yet.
-- In:  rows [{Hash, Pipeline, Body}], now (NULL: the database clock)
-- A unique key refuses what somebody else has kept meanwhile: the caller looks again.
INSERT INTO "BotPipelineTexts" ("Hash", "Pipeline", "Body", "LoadedAt", "UsedAt")
SELECT j."Hash", j."Pipeline", j."Body", {{now}}, {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text, "Pipeline" text, "Body" text)
WHERE NOT EXISTS (SELECT 1 FROM "BotPipelineTexts" t WHERE t."Hash" = j."Hash" AND t."Pipeline" = j."Pipeline");
