-- text_used: record that workers use texts.
-- In:  rows [{Hash, Pipeline}], now (NULL: the database clock)
UPDATE "BotPipelineTexts" SET
    "UsedAt" = {{now}}
FROM json_to_recordset(CAST(@rows AS json)) AS j("Hash" text, "Pipeline" text)
WHERE "BotPipelineTexts"."Hash" = j."Hash" AND "BotPipelineTexts"."Pipeline" = j."Pipeline";
