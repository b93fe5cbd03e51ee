-- paused: whether a system pipeline is paused. Run and firing claims repeat it in their WHERE, so that
-- nothing starts after a pause is committed.
-- Parameters: name
EXISTS (SELECT 1 FROM "BotPipelinePauses" pp WHERE pp."Pipeline" = {{name}} AND pp."Paused" = TRUE)
