/** What happened, newest first: the log of a webhook, the activity page, what we said to the platform. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the activity feature
export interface ActivityStore {}
