UPDATE BotInstallation SET Timeline = @timeline WHERE Timeline IS NULL;
