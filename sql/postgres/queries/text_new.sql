-- text_new: insert new texts.
-- In:  rows [{Hash, Pipeline, Body}], now (NULL: the database clock)
-- A unique key refuses texts that another process has inserted meanwhile: the caller tries again.
INSERT INTO "BotPipelineTexts" ("Hash", "Pipeline", "Body", "LoadedAt", "UsedAt")
SELECT j."Hash", j."Pipeline", j."Body", {{now}}, {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text, "Pipeline" text, "Body" text)
WHERE NOT EXISTS (SELECT 1 FROM "BotPipelineTexts" t WHERE t."Hash" = j."Hash" AND t."Pipeline" = j."Pipeline");
