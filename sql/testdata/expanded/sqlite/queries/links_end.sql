DELETE FROM BotSignInLinks
WHERE UserId = @user_id;
