-- links_end: remove the sign-in links of a user.
-- In:  user_id
DELETE FROM BotSignInLinks
WHERE UserId = @user_id;
