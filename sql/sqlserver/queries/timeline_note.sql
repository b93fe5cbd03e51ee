-- timeline_note: record the first known timeline.
-- In:  timeline
UPDATE BotInstallation SET Timeline = @timeline WHERE Timeline IS NULL;
