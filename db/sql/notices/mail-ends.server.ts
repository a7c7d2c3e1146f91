/** How the e-mails about notices since `@since` ended, by reason code. */
export const MAIL_ENDS = `SELECT mail_reason_code AS code, count(*) AS count FROM notice
  WHERE coalesce(told_at, at) >= @since AND mail_reason_code IS NOT NULL AND mail_state <> 'pending'
  GROUP BY mail_reason_code ORDER BY mail_reason_code`
