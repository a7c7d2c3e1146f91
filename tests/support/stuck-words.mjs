/** A rule that says so is one that the stuck thread never comes back from. */
export const NEVER_ENDS = 'This never ends'
