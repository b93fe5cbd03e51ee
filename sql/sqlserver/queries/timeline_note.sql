-- timeline_note: record the first timeline that is known.
-- In:  timeline
UPDATE BotInstallation SET Timeline = @timeline WHERE Timeline IS NULL;
