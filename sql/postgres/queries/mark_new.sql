-- mark_new: remember something for the first time.
-- In:  name, value
INSERT INTO "BotAssignmentMarks" ("Name", "Value") VALUES (@name, @value);
