-- next_pass: count a pass that writes, unless another pass has written first.
-- In:  passes
UPDATE "BotAssignmentMarks" SET "Value" = "Value" + 1 WHERE "Name" = 'passes' AND "Value" = @passes;
