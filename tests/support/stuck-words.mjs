/** A rule with this text blocks the stuck thread forever. */
export const NEVER_ENDS = 'This never ends'
