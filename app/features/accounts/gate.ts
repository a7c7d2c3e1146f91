/** What the sign-in gate shows: no account in the address, ready to sign in, or sign-in opened and awaited. */
export type GateState = 'no_account' | 'ready' | 'opened'
